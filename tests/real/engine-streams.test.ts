import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestEngine, type TestEngine } from '@manta/apiserver/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wantsUpgrade } from '../../packages/apiserver/src/http/upgrade.ts';
import { serveAttach } from '../../packages/kubelet/src/backend/attach.ts';
import { servePortForward } from '../../packages/kubelet/src/backend/port-forward.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { kubectlOf } from './kubectl-run.ts';

const POD_PORT = 8265;
const MEGABYTE = 1024 * 1024;
let inside: Server;
let engine: TestEngine;
const spoken: (string | undefined)[] = [];

/** Stands for a pod's network: one port listens in it. */
async function connectInside(port: number) {
  if (port !== POD_PORT) throw new Error(`nothing listens on ${port}`);
  const socket = connect((inside.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

beforeAll(async () => {
  // Says how much it was sent, and sends as much back.
  inside = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.end(Buffer.alloc(bytes, 'x')));
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  engine = await startTestEngine({
    hasServiceAccounts: false,
    podBackend: {
      handle: async (call) => {
        spoken.push(wantsUpgrade(call.request));
        if (call.subresource === 'attach') return await serveAttach(container, call);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of a sandbox is used here
        return await servePortForward({ connect: connectInside } as never, call);
      },
    },
  });
  const pods = engine.api.store;
  pods.create({ resource: '/nodes', namespace: '', name: 'n' }, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', uid: 'n' },
  } as never);
  pods.create({ resource: '/pods', namespace: 'default', name: 'p' }, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', uid: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    status: { phase: 'Running' },
  } as never);
});
afterAll(async () => {
  await engine.stop();
  inside.close();
  rmSync(folder, { recursive: true });
});

/** Stands for a container: its output is a file, and it runs until it is told to end. */
const folder = mkdtempSync(join(tmpdir(), 'manta-attach-'));
const output = join(folder, 'output');
const container = { container: { name: 'c' }, process: {}, output: () => output } as never as {
  process: object | undefined;
} & Parameters<typeof serveAttach>[0];

/** Starts kubectl, calls back with the port that it listens on, and ends it. */
async function forwarded(
  target: number,
  env: NodeJS.ProcessEnv,
  use: (port: number) => Promise<void>,
): Promise<string> {
  const program = join(sharedControlPlane().access.assets, 'kubectl');
  const child = spawn(
    program,
    ['port-forward', 'pod/p', `:${target}`, `--kubeconfig=${engine.admin.kubeconfig.path}`],
    {
      env: { ...process.env, ...env },
    },
  );
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const ended = once(child, 'exit');
  try {
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    await use(Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]));
  } finally {
    child.kill();
    await ended;
  }
  return told;
}

describe.each([
  ['through a WebSocket', 'websocket', {}],
  ['by SPDY itself', 'SPDY/3.1', { KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
])('kubectl port-forward %s', (_, protocol, env) => {
  it('carries several connections at once, both ways, whole', async () => {
    const told = await forwarded(POD_PORT, env, async (port) => {
      const sizes = [0, 1, 5 * MEGABYTE, MEGABYTE];
      const answers = await Promise.all(
        sizes.map(async (size) => {
          const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: Buffer.alloc(size, 'y') });
          return (await answer.arrayBuffer()).byteLength;
        }),
      );
      expect(answers).toEqual(sizes);
    });
    expect(told).toBe('');
    expect(spoken.at(-1)).toBe(protocol);
    expect(engine.internalErrors).toEqual([]);
  });

  it('says that nothing listens on a port', async () => {
    const told = await forwarded(1, env, async (port) => {
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
    });
    expect(told).toContain('error forwarding port 1: nothing listens on 1');
  });
});

it('kubectl attach shows what a container says from then on, and ends with it', async () => {
  writeFileSync(output, 'before\n');
  const kubectl = kubectlOf(
    join(sharedControlPlane().access.assets, 'kubectl'),
    engine.admin.kubeconfig.path,
    'default',
    folder,
  );
  const attached = kubectl(['attach', 'p']);
  await vi.waitFor(() => expect(spoken.at(-1)).toBe('websocket'), { timeout: 20_000 });
  appendFileSync(output, 'one\n');
  appendFileSync(output, 'two\n');
  container.process = undefined;
  expect(await attached).toMatchObject({ status: 0, stdout: 'one\ntwo\n' });
});
