import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { createCertificateAuthority } from '@manta/kube/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { backendOf, tableOf } from '../../packages/router/src/testing/backends.ts';
import { sendBeginning } from '../../packages/router/src/testing/http2-frames.ts';
import { createParts } from '../../packages/router/src/testing/parts.ts';

const STALL_MS = 300;
const listenerLimits = { headersMs: 2_000, requestMs: 0, idleMs: 500, stallMs: STALL_MS, checkMs: 50 };
const parts = createParts();
afterEach(() => parts.close());

const authority = createCertificateAuthority();
const pair = authority.issue({ commonName: 'router', dnsNames: ['localhost'] });

/** Sends as much as anybody takes, for as long as there is somebody. */
function pour(stream: Writable): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    while (stream.writable && stream.write(chunk)) continue;
  };
  stream.on('drain', more);
  stream.on('error', () => undefined);
  more();
}

/** A router in front of a backend that answers without end, also over WebSockets; `open` counts the backend's connections. */
async function start() {
  const open = new Set<Socket>();
  const backend = await parts.backend(
    (request, response) => {
      if (request.url === '/silent') response.write('x');
      else pour(response);
    },
    0,
    (server: Server) => {
      server.on('connection', (socket: Socket) => {
        open.add(socket);
        socket.once('close', () => open.delete(socket));
      });
      server.on('upgrade', (request, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n');
        socket.on('error', () => undefined);
        if (request.url === '/deaf') socket.pause();
        else pour(socket);
      });
    },
  );
  parts.also(() => {
    for (const socket of open) socket.destroy();
  });
  const { proxy, port } = await parts.proxy({ listenerLimits });
  const { gateways } = tableOf([backendOf('d/a:1', 1, backend)]);
  const certificates = [{ hostname: undefined, certs: [pair.cert], keys: [pair.key] }];
  proxy.setTable({ gateways, secure: { gateways, certificates } });
  const outstanding = () => [...proxy.outstanding().values()].reduce((sum, count) => sum + count, 0);
  return { port, open, outstanding };
}

/** A client that sends this and then neither reads nor leaves. */
function deafClient(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  socket.pause();
  parts.also(() => void socket.destroy());
  return socket;
}

const GET = 'GET / HTTP/1.1\r\nhost: h\r\n';
const UPGRADE = 'connection: Upgrade\r\nupgrade: websocket\r\n';

const attacks: Readonly<Record<string, (port: number) => void>> = {
  'HTTP/1.1': (port) => void deafClient(port, `${GET}\r\n`),
  'HTTP/1.1 with TLS'(port) {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    socket.write(`${GET}\r\n`);
    socket.pause();
    parts.also(() => void socket.destroy());
  },
  'HTTP/2 without room in the window'(port) {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
    session.request({ ':path': '/' }).on('error', () => undefined);
    parts.also(() => session.destroy());
  },
  'HTTP/2 without reading the connection'(port) {
    sendBeginning(parts, port, 'GET').pause();
  },
  'a WebSocket': (port) => void deafClient(port, `${GET}${UPGRADE}\r\n`),
};

describe('a client that does not read its answer', () => {
  it.each(Object.entries(attacks))('is cut, and its backend is free again: %s', async (_, attack) => {
    const { port, open, outstanding } = await start();
    attack(port);
    await vi.waitFor(() => expect(open.size).toBe(1), { timeout: 10_000 });
    await vi.waitFor(() => expect([open.size, outstanding()]).toEqual([0, 0]), { timeout: 20_000, interval: 50 });
  });
});

describe('a backend that does not read a WebSocket', () => {
  it('is cut, and so is its client', async () => {
    const { port, outstanding } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /deaf HTTP/1.1\r\nhost: h\r\n${UPGRADE}\r\n`);
    await once(socket, 'data');
    pour(socket);
    await new Promise((resolve) => void socket.once('close', resolve));
    expect(outstanding()).toBe(0);
  });
});

describe('a client that waits for a silent answer', () => {
  it('may wait as long as it likes', async () => {
    const { port, outstanding } = await start();
    const socket = connect(port, '127.0.0.1');
    parts.also(() => void socket.destroy());
    socket.write('GET /silent HTTP/1.1\r\nhost: h\r\n\r\n');
    await once(socket, 'data');
    await wait(STALL_MS * 4);
    expect([socket.destroyed, outstanding()]).toEqual([false, 1]);
  });
});
