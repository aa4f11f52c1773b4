import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ask } from '../testing/ask.ts';
import { backendOf, tableOf } from '../testing/backends.ts';
import { freePort } from '../testing/free-port.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

/** Says every message back, and tells by which path it was reached. */
function echoing() {
  return parts.backend(
    (_, response) => void response.writeHead(426).end('only WebSockets'),
    0,
    (server) => {
      const sockets = new WebSocketServer({ server });
      sockets.on('connection', (socket, request) => {
        socket.send([request.url, request.headers['x-forwarded-for']].join(' '));
        socket.on('message', (message) => socket.send(message));
      });
    },
  );
}

async function next(socket: WebSocket): Promise<string> {
  const [message] = await once(socket, 'message');
  return String(message);
}

describe('a WebSocket', () => {
  it('is opened at the backend and carries messages both ways', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(tableOf([backendOf('d/a:1', 1, await echoing())]));
    const socket = new WebSocket(`ws://127.0.0.1:${port}/chat?x=1`);
    expect(await next(socket)).toBe('/chat?x=1 127.0.0.1');
    const large = 'x'.repeat(300_000);
    socket.send(large);
    expect(await next(socket)).toBe(large);
    expect([...proxy.outstanding().values()]).toEqual([1]);
    socket.close();
    await once(socket, 'close');
    while ([...proxy.outstanding().values()][0] !== 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('goes on at its backend after the table has changed', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(tableOf([backendOf('d/a:1', 1, await echoing())]));
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    await next(socket);
    proxy.setTable(tableOf([backendOf('d/b:1', 1, await parts.says('b'))]));
    socket.send('still here');
    expect(await next(socket)).toBe('still here');
    socket.terminate();
  });

  it('is opened at another endpoint where nobody answers at the first', async () => {
    const { proxy, port } = await parts.proxy({ random: () => 0.99 });
    const address = { host: '127.0.0.1', port: await freePort(), protocol: 'auto' } as const;
    proxy.setTable(tableOf([backendOf('d/a:1', 1, { address }, await echoing())]));
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    expect(await next(socket)).toMatch(/^\//);
    socket.terminate();
  });

  it.each([
    ['there is no endpoint', () => tableOf([backendOf('d/a:1', 1)]), 503],
    ['there is no route', () => ({ gateways: [] }), 404],
  ])('is refused where %s', async (_, table, status) => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(table());
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain(`Unexpected server response: ${status}`);
  });

  it('obeys redirects and refusals of its rule', async () => {
    const { proxy, port } = await parts.proxy();
    const backends = [backendOf('d/a:1', 1, await echoing())];
    const headers = { connection: 'upgrade', upgrade: 'websocket', host: 'old' };
    proxy.setTable(tableOf(backends, { filters: [{ kind: 'redirect', status: 301, hostname: 'new' }] }));
    const moved = { status: 301, headers: { location: 'http://new/chat' } };
    expect(await ask(port, { path: '/chat', headers })).toMatchObject(moved);
    proxy.setTable(tableOf(backends, { filters: [{ kind: 'refuse', why: 'not served' }] }));
    expect(await ask(port, { headers })).toMatchObject({ status: 500, body: 'not served\n' });
  });

  it('is opened with the headers that its rule changes, both ways', async () => {
    const { proxy, port } = await parts.proxy();
    const change = (value: string) => ({ set: [['x-forwarded-for', value]], add: [], remove: [] }) as const;
    const filters = [
      { kind: 'request-headers', change: change('asked') },
      { kind: 'response-headers', change: change('answered \xe4') },
    ] as const;
    proxy.setTable(tableOf([backendOf('d/a:1', 1, await echoing())], { filters }));
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    const [[answer], said] = await Promise.all([once(socket, 'upgrade'), next(socket)]);
    expect(said).toBe('/ asked');
    expect(answer.headers['x-forwarded-for']).toBe('answered \xe4');
    socket.terminate();
  });

  it('that the backend does not want gets the backend’s own answer', async () => {
    const { proxy, port } = await parts.proxy();
    const no = await parts.backend((_, response) => void response.writeHead(403).end('not you'));
    proxy.setTable(tableOf([backendOf('d/a:1', 1, no)]));
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('Unexpected server response: 403');
  });
});

it('a client that would rather speak HTTP/2 is answered as it asked first', async () => {
  const { proxy, port } = await parts.proxy();
  proxy.setTable(tableOf([backendOf('d/a:1', 1, await parts.says('plain'))]));
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  expect(await ask(port, { headers })).toMatchObject({ status: 200, body: 'plain' });
});
