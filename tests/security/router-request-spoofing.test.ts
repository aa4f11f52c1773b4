import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { trustNetworks } from '@manta/router';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../../packages/router/src/testing/ask.ts';
import { backendOf, tableOf } from '../../packages/router/src/testing/backends.ts';
import { createParts } from '../../packages/router/src/testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A router in front of a backend that notes every request, WebSockets included. */
async function start(networks: readonly string[] = []) {
  const seen: Seen[] = [];
  const backend = await parts.backend(
    ({ url = '', headers }, response) => {
      seen.push({ url, headers });
      response.end('ok');
    },
    0,
    (server) => {
      server.on('upgrade', ({ url = '', headers }, socket) => {
        seen.push({ url, headers });
        socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n');
      });
    },
  );
  const { proxy, port } = await parts.proxy(networks.length === 0 ? {} : { trust: trustNetworks(networks) });
  proxy.setTable(tableOf([backendOf('d/a:1', 1, backend)]));
  return { port, seen };
}

/** Sends bytes and returns all that comes back until the router closes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => (heard += String(chunk)));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return heard;
}

const SPOOFED = {
  'x-forwarded-for': '6.6.6.6',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'bank.example',
  'x-forwarded-port': '443',
  'x-real-ip': '6.6.6.6',
  forwarded: 'for=6.6.6.6',
  x_forwarded_for: '6.6.6.6',
};
const UPGRADE = 'connection: Upgrade\r\nupgrade: websocket\r\n';

describe('what a client says about its own address', () => {
  it('does not reach a backend', async () => {
    const { port, seen } = await start();
    await ask(port, { headers: SPOOFED });
    const claims = Object.entries(SPOOFED).map(([name, value]) => `${name}: ${value}\r\n`);
    await raw(port, `GET /ws HTTP/1.1\r\nhost: h\r\n${UPGRADE}${claims.join('')}\r\n`);
    expect(seen).toHaveLength(2);
    for (const { headers } of seen) {
      expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
      expect(JSON.stringify(headers)).not.toMatch(/6\.6\.6\.6|bank\.example|443/);
    }
  });

  it('is passed on if the client is a trusted proxy', async () => {
    const { port, seen } = await start(['127.0.0.0/8']);
    await ask(port, { headers: SPOOFED });
    expect(seen[0]?.headers).toMatchObject({ ...SPOOFED, 'x-forwarded-for': '6.6.6.6, 127.0.0.1' });
  });
});

describe('a request with two hosts', () => {
  it.each([
    ['a request', ''],
    ['a WebSocket', UPGRADE],
  ])('is answered with 400: %s', async (_, extra) => {
    const { port, seen } = await start();
    const answer = await raw(port, `GET / HTTP/1.1\r\nhost: a\r\nHost: b\r\n${extra}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('two Host headers');
    expect(seen).toEqual([]);
  });

  it('is answered with 400 over HTTP/2', async () => {
    const { port, seen } = await start();
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':path': '/', ':authority': 'a', host: 'b' });
    const [fields] = await once(stream, 'response');
    session.destroy();
    expect(fields[':status']).toBe(400);
    expect(seen).toEqual([]);
  });
});

describe('a request target', () => {
  it.each([
    ['a request', 'connection: close\r\n'],
    ['a WebSocket', UPGRADE],
  ])('in absolute form is normalised: %s', async (_, extra) => {
    const { port, seen } = await start();
    await raw(port, `GET http://inner.example/a/%2e%2e/b?c HTTP/1.1\r\nhost: outer.example\r\n${extra}\r\n`);
    expect(seen[0]).toMatchObject({
      url: '/b?c',
      headers: { host: 'inner.example', 'x-forwarded-host': 'inner.example' },
    });
  });

  it('cannot leave the prefix of its route', async () => {
    const { port, seen } = await start();
    await raw(port, `GET /public/../admin HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n`);
    expect(seen[0]?.url).toBe('/admin');
  });
});

describe('the opening of a WebSocket with a body', () => {
  it('is no WebSocket: what follows is not taken for a body by the backend', async () => {
    const { port, seen } = await start();
    await raw(
      port,
      `GET /ws HTTP/1.1\r\nhost: h\r\nconnection: Upgrade, close\r\nupgrade: websocket\r\ncontent-length: 5\r\n\r\nhello`,
    );
    expect(seen).toHaveLength(1);
    expect(seen[0]?.headers.upgrade).toBeUndefined();
  });
});

describe('a request body with a coding besides chunked', () => {
  it.each(['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'x'])('is not passed on: %s', async (coding) => {
    const { port, seen } = await start();
    const answer = await raw(
      port,
      `POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: ${coding}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 (501|400) /);
    expect(seen).toEqual([]);
  });

  it('is refused with the header and its value', async () => {
    const { port } = await start();
    const answer = await raw(
      port,
      'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );
    expect(answer).toContain('Transfer-Encoding "gzip, chunked" is not served');
  });
});
