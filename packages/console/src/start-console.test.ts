import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, type KubeClient, systemClock } from '@manta/kube';
import { createLogger, encodeConsole } from '@manta/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConsole } from './start-console.ts';

const sink = { write: () => undefined, flush: async () => undefined, flushSync: () => undefined, takeDropped: () => 0 };

async function listen(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

describe('startConsole()', () => {
  it('that cannot listen names the flag and leaves no listener behind, which would keep the process alive', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manta-start-console-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'index.html'), '');
    const taken = (await listen(0)).address() as AddressInfo;
    const free = await listen(0);
    const { port } = free.address() as AddressInfo;
    await new Promise((done) => {
      free.close(done);
    });
    const started = startConsole({
      clock: systemClock,
      log: createLogger({ clock: systemClock, main: { sink, encode: encodeConsole } }),
      // Nothing is asked before the console listens.
      server: {} as Connection,
      client: {} as KubeClient,
      listen: { host: '127.0.0.1', port: taken.port },
      hosts: [],
      folder,
      rayDashboards: { listen: { host: '127.0.0.1', port }, dial: () => Promise.reject(new Error('nobody asks')) },
    });
    await expect(started).rejects.toThrow(/address already in use\. Choose another port with --listen/);
    await listen(port);
  });
});
