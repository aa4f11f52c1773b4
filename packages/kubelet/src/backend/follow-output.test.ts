import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { upgradeResponse } from '../../../apiserver/src/http/upgrade.ts';
import type { PodCall } from '@manta/apiserver';
import type { ContainerRunner } from '../pods/container-runner.ts';
import { serveAttach } from './attach.ts';
import { serveLog } from './log.ts';

const MEGABYTE = 1024 * 1024;

let folder: string;
let path: string;
let server: Server;
/** How the answer that is being given ends. */
let served: Promise<void> | undefined;
let sockets: Socket[];

/** Stands for a container that runs: its output is a file. */
let container: ContainerRunner;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'manta-output-'));
  path = join(folder, 'output');
  writeFileSync(path, 'before\n');
  served = undefined;
  sockets = [];
  container = { container: { name: 'c' }, process: {}, output: () => path, times: () => undefined } as never;
  const query = new URLSearchParams({ follow: 'true' });
  const call = (parts: object) => ({ query, pod: { metadata: { name: 'p' } }, ...parts }) as never as PodCall;
  server = createServer((request, response) => {
    served = serveLog(container, call({ request, response }), Date.now());
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.on('upgrade', (request, socket, head) => {
    served = serveAttach(container, call({ request, response: upgradeResponse(request, socket, head) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

async function attach(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${address()}/`, ['v5.channel.k8s.io']);
  await once(socket, 'open');
  return socket;
}

it('attach ends when the pod is deleted together with what it has said', async () => {
  const socket = await attach();
  const ended = once(socket, 'close');
  rmSync(folder, { recursive: true });
  expect((await ended)[0]).toBe(1000);
  await served;
});

it('attach closes its connection also where the output cannot be read', async () => {
  const socket = await attach();
  const failure = served?.catch((error: Error) => error.message);
  const ended = once(socket, 'close');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  expect((await ended)[0]).toBe(1000);
  expect(await failure).toContain('ENOTDIR');
});

it('logs that are followed end when the pod is deleted together with what it has said', async () => {
  const answer = await new Promise<IncomingMessage>((resolve) => get(`http://${address()}/`, resolve));
  expect((await once(answer, 'data')).join('')).toBe('before\n');
  const ended = once(answer, 'end');
  rmSync(folder, { recursive: true });
  await ended;
  await served;
});

it('attach holds no more than a piece for a client that does not read, and lets go when it leaves', async () => {
  const socket = await attach();
  socket.pause();
  appendFileSync(path, Buffer.alloc(64 * MEGABYTE, 'x'));
  const [connection] = sockets;
  await vi.waitFor(() => expect(connection?.writableNeedDrain).toBe(true), { timeout: 5000 });
  // As often as it would take to read a good part of the file.
  for (let n = 0; n < 500; n++) await setImmediate();
  expect(connection?.writableLength).toBeLessThan(MEGABYTE);
  socket.terminate();
  await served;
});
