import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, type KubeClient, systemClock } from '@manta/kube';
import { createLogger, encodeConsole } from '@manta/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../kube/src/testing/manual-clock.ts';
import { startConsole } from './start-console.ts';

const sink = { write: () => undefined, flush: async () => undefined, flushSync: () => undefined, takeDropped: () => 0 };

async function listen(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

const DAY_MS = 24 * 3_600_000;

describe('startConsole()', () => {
  it('replaces a one-time link that nobody used before it expires', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manta-start-console-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'index.html'), '');
    const clock = new ManualClock();
    const links: string[] = [];
    const running = await startConsole({
      clock,
      log: createLogger({ clock, main: { sink, encode: encodeConsole } }),
      server: { credentials: () => Promise.reject(new Error('the link was accepted')) } as unknown as Connection,
      // A server that never answers: the caches stay empty.
      client: new Proxy({}, { get: () => () => new Promise(() => undefined) }) as KubeClient,
      listen: { host: '127.0.0.1', port: 0 },
      hosts: [],
      folder,
      onLink: (url) => links.push(url),
    });
    onTestFinished(() => void running.close());
    clock.advance(DAY_MS - 1);
    clock.advance(2);
    expect(links.length).toBeGreaterThan(1);
    expect((await fetch(links[0] ?? '')).status).toBe(403);
    expect((await fetch(links.at(-1) ?? '')).status).toBe(500);
  });

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
