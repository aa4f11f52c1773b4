import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';
import { backendOf, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

/** A server that says what it is told to, and counts its connections. */
async function raw(answer: (heard: string, socket: Socket) => void) {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => answer(bytes.toString('latin1'), socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.also(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const bound = server.address();
  const port = typeof bound === 'object' ? (bound?.port ?? 0) : 0;
  return { address: { host: '127.0.0.1', port, protocol: 'auto' } as const, sockets, connections: () => count };
}

async function serving(answer: (heard: string, socket: Socket) => void, clock?: { now(): number }) {
  const backend = await raw(answer);
  const setTimer = () => () => undefined;
  const { proxy, port } = await parts.proxy(clock === undefined ? {} : { clock: { now: () => clock.now(), setTimer } });
  proxy.setTable(tableOf([backendOf('d/a:1', 1, backend)]));
  return { backend, proxy, port };
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('a connection to an endpoint', () => {
  it('is used again', async () => {
    const { backend, port } = await serving((_, socket) => void socket.write(OK));
    for (let i = 0; i < 5; i += 1) expect((await ask(port)).body).toBe('ok');
    expect(backend.connections()).toBe(1);
  });

  it.each([
    ['the endpoint says that it was the last answer', OK.replace('content', 'connection: close\r\ncontent')],
    ['the answer ends with it', 'HTTP/1.1 200 OK\r\n\r\nok'],
    ['more came than was asked for', `${OK}more`],
  ])('is not used again where %s', async (_, answer) => {
    const { backend, port } = await serving((_heard, socket) => {
      socket.write(answer);
      if (!answer.includes('length')) socket.end();
    });
    for (let i = 0; i < 3; i += 1) expect((await ask(port)).body).toBe('ok');
    expect(backend.connections()).toBe(3);
  });

  it('is not used again after it was idle for long', async () => {
    let now = 0;
    const { backend, port } = await serving((_, socket) => void socket.write(OK), { now: () => now });
    await ask(port);
    now += 1_999;
    await ask(port);
    expect(backend.connections()).toBe(1);
    now += 2_000;
    await ask(port);
    expect(backend.connections()).toBe(2);
  });

  it('that the endpoint closes while it is idle is forgotten', async () => {
    const { backend, port } = await serving((_, socket) => void socket.write(OK));
    await ask(port);
    const [socket] = backend.sockets;
    socket?.end();
    if (socket?.closed === false) await once(socket, 'close');
    expect((await ask(port, { method: 'POST', body: 'precious' })).body).toBe('ok');
    expect(backend.connections()).toBe(2);
  });

  it('of a request that was answered before it was sent is not used again', async () => {
    const { backend, port } = await serving((_, socket) => void socket.write(OK));
    const agent = new Agent({ keepAlive: true });
    parts.also(() => agent.destroy());
    const slow = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': 10 }, agent });
    slow.on('error', () => undefined);
    slow.write('half');
    const [response] = await once(slow, 'response');
    expect(response.statusCode).toBe(200);
    slow.destroy();
    expect((await ask(port)).body).toBe('ok');
    expect(backend.connections()).toBe(2);
  });
});

describe('an answer', () => {
  it('that makes no sense is a 502 that says so, and the request is not sent twice', async () => {
    let asked = 0;
    const { port } = await serving((_, socket) => {
      asked += 1;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nok');
    });
    const answer = await ask(port, { method: 'POST', body: 'x' });
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('no clear length') });
    expect(asked).toBe(1);
  });

  it('comes after words in advance, without them', async () => {
    const { port } = await serving(
      (_, socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`),
    );
    const { status, body, headers } = await ask(port);
    expect({ status, body, link: headers['link'] }).toEqual({ status: 200, body: 'ok', link: undefined });
  });

  it('that nobody reads is taken no faster than it is read', async () => {
    const MIB = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    const { port } = await serving((_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 67108864\r\n\r\n');
      const more = () => {
        while (sent < 64 && socket.write(MIB)) sent += 1;
        sent += 1;
        if (sent < 64) socket.once('drain', more);
      };
      more();
    });
    const asking = request({ host: '127.0.0.1', port });
    asking.end();
    const [response] = await once(asking, 'response');
    response.pause();
    for (let before = -1; before !== sent; await new Promise((resolve) => setTimeout(resolve, 20))) before = sent;
    expect(sent).toBeLessThan(40);
    let got = 0;
    for await (const bytes of response) got += bytes.length;
    expect(got).toBe(64 * 1024 * 1024);
  });
});

it('a request goes over the wire as it came, in one piece', async () => {
  const heard: string[] = [];
  const { port } = await serving((text, socket) => {
    heard.push(text);
    socket.write(OK);
  });
  await ask(port, { method: 'DELETE', path: '/a?b', headers: { host: 'h', 'X-Mixed': 'Case' } });
  expect(heard).toEqual([
    'DELETE /a?b HTTP/1.1\r\nhost: h\r\nX-Mixed: Case\r\nx-forwarded-for: 127.0.0.1\r\nx-forwarded-proto: http\r\nx-forwarded-host: h\r\nx-real-ip: 127.0.0.1\r\nconnection: keep-alive\r\n\r\n',
  ]);
  await ask(port, { method: 'POST', headers: { host: 'h' } });
  expect(heard.at(-1)).toMatch(/\r\ncontent-length: 0\r\n/i);
});
