import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '@manta/kube';
import { createHttpSend, createRayClient, type RayClient } from '@manta/ray';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalRayHead, startRayHead } from '../support/ray-head.ts';
import { provideRay } from '../../packages/manta/src/local/provide-ray.ts';

const http = createHttpSend();
let head: LocalRayHead;
let client: RayClient;
let cutter: Cutter;
beforeAll(async () => {
  head = await startRayHead({ venv: await provideRay() });
  client = createRayClient({ clock: systemClock, send: http.send, head: { url: head.url } });
  cutter = await startCutter(Number(new URL(head.url).port));
}, 300_000);
afterAll(async () => {
  http.close();
  cutter.stop();
  await head.stop();
}, 60_000);

interface Cutter {
  readonly address: string;
  /** How many streams were cut. */
  readonly cuts: () => number;
  stop(): void;
}

/** Stands before the head and cuts every WebSocket a second after it was opened; other requests pass. */
async function startCutter(port: number): Promise<Cutter> {
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.once('data', (first) => {
      if (!/^upgrade: websocket/im.test(first.toString('latin1'))) return;
      setTimeout(() => {
        cuts += near.destroyed ? 0 : 1;
        near.destroy();
        far.destroy();
      }, 1_000);
    });
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    address: `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    cuts: () => cuts,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Runs the submitter as its container would. */
async function submit(id: string, entrypoint: readonly string[], address = new URL(head.url).host) {
  const manta = resolve(import.meta.dirname, '../../bin/manta');
  const env = { ...process.env, RAY_DASHBOARD_ADDRESS: address, RAY_JOB_SUBMISSION_ID: id };
  const child = spawn(manta, ['submitter', '--', ...entrypoint], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exited) as [number | null];
  return { code, output, errors };
}

describe('the light-weight submitter, on a real head', () => {
  test('shows every line once though its stream is cut each second', async () => {
    const script = `import time\nfor i in range(12):\n  print('line', i, flush=True)\n  time.sleep(0.5)`;
    const { code, output, errors } = await submit(
      'cut',
      ['python', '-c', `'${script}'`.replaceAll("'line'", '"line"')],
      cutter.address,
    );
    const lines = output.split('\n').filter((line) => line.startsWith('line '));
    expect(lines).toEqual(Array.from({ length: 12 }, (_, i) => `line ${i}`));
    expect(output).toContain("SUCC -- Job 'cut' succeeded");
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(cutter.cuts()).toBeGreaterThan(1);
  });

  test('tells a failure as what it is', async () => {
    const { code, output, errors } = await submit('fails', ['echo oops; exit 3']);
    expect(output).toContain('oops');
    expect(output).not.toContain('succeeded');
    expect(errors).toMatch(/^FAIL -- Job 'fails' failed: /);
    expect(code).toBe(0);
  });

  test('started again, follows what is there and begins nothing', async () => {
    await submit('twice', ['echo', 'once']);
    const before = await client.getJob('twice');
    const { code, output } = await submit('twice', ['echo', 'once']);
    expect(output).toContain("INFO -- Job 'twice' has already been submitted, tailing logs.");
    expect(output).toContain('once\n');
    expect(await client.getJob('twice')).toEqual(before);
    expect(code).toBe(0);
  });
});
