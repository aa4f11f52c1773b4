import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '@manta/kube';
import { createHttpSend, type HttpSendOptions } from './http-send.ts';
import { createRayClient, type RayClient } from './ray-client.ts';
import { FakeHead } from './testing/fake-head.ts';
import { serveFakeHead } from './testing/serve-fake-head.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function served(): Promise<{ head: FakeHead; url: string }> {
  const head = new FakeHead({ now: Date.now });
  const server = await serveFakeHead(head);
  closers.push(() => server.close());
  return { head, url: server.url };
}

function clientFor(url: string, options: HttpSendOptions = {}, questionTimeoutMs = 5_000): RayClient {
  const http = createHttpSend(options);
  closers.push(() => http.close());
  return createRayClient({ clock: systemClock, send: http.send, head: { url }, questionTimeoutMs });
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('over a real socket', () => {
  test('questions and commands travel', async () => {
    const { head, url } = await served();
    const client = clientFor(url);
    await client.submitJob({ entrypoint: 'echo é', submissionId: 'j' });
    expect(await client.getJob('j')).toMatchObject({ status: 'PENDING', entrypoint: 'echo é' });
    expect(head.requests[0]?.headers['content-length']).toBe(String(Buffer.byteLength(head.requests[0]?.body ?? '')));
  });

  test('questions share a connection, commands have their own', async () => {
    const sockets = new Set<unknown>();
    const server = createServer((request, response) => {
      sockets.add(request.socket);
      response.end('{"status":"RUNNING"}');
    });
    const client = clientFor(await listen(server));
    for (let index = 0; index < 5; index += 1) await client.getJob('j');
    expect(sockets.size).toBe(1);
    await client.deleteJob('j');
    await client.deleteJob('j');
    expect(sockets.size).toBe(3);
  });

  test('no more connections are kept than allowed, over all heads', async () => {
    const open = new Set<unknown>();
    const http = createHttpSend({ maxIdle: 3 });
    closers.push(() => http.close());
    const urls = await Promise.all(
      Array.from({ length: 6 }, () => {
        const server = createServer((_, response) => response.end('{"status":"RUNNING"}'));
        server.on('connection', (socket) => {
          open.add(socket);
          socket.on('close', () => open.delete(socket));
        });
        return listen(server);
      }),
    );
    const ask = () =>
      Promise.all(
        urls.map((url) => createRayClient({ clock: systemClock, send: http.send, head: { url } }).getJob('j')),
      );
    for (let round = 0; round < 3; round += 1) {
      await ask();
      await expect.poll(() => open.size).toBe(3);
    }
  });

  test('a kept connection that the head has closed meanwhile is no failure', async () => {
    let answered = 0;
    // Answers the first request of a connection, and cuts it off at the second.
    const server = createTcpServer((socket) => {
      let requests = 0;
      socket.on('error', () => undefined);
      socket.on('data', () => {
        requests += 1;
        if (requests > 1) {
          socket.resetAndDestroy();
          return;
        }
        answered += 1;
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"status":"RUNNING"}');
      });
    });
    const client = clientFor(await listen(server));
    for (let index = 0; index < 3; index += 1) expect(await client.getJob('j')).toMatchObject({ status: 'RUNNING' });
    expect(answered).toBe(3);
  });

  test('nothing listens: the error says so, and that nothing was done', async () => {
    const server = createServer();
    const url = await listen(server);
    server.close();
    await once(server, 'close');
    await expect(clientFor(url).getVersion()).rejects.toMatchObject({
      failure: 'unreachable',
      didNothing: true,
      message: `GetVersion fail: GET ${url}/api/version came to nothing (connect ECONNREFUSED ${url.slice(7)})`,
    });
  });

  test('a name that does not exist', async () => {
    await expect(clientFor('http://no-such-head.invalid:8265').getVersion()).rejects.toMatchObject({
      failure: 'unreachable',
      didNothing: true,
    });
  });

  test('a head that does not answer, or stops within its answer, is given up in time', async () => {
    const { head, url } = await served();
    head.mood = { kind: 'hanging' };
    await expect(clientFor(url, {}, 50).getVersion()).rejects.toMatchObject({ failure: 'timeout' });
    const half = createServer((_, response) => void response.writeHead(200, { 'content-length': '100' }).write('{'));
    await expect(clientFor(await listen(half), {}, 50).getVersion()).rejects.toMatchObject({ failure: 'timeout' });
    const cut = createServer((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{', () => request.destroy());
    });
    await expect(clientFor(await listen(cut)).getVersion()).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringContaining('broke off within its answer'),
    });
  });

  test('something that does not speak HTTP is told as such', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('SSH-2.0-OpenSSH\r\n');
    });
    await expect(clientFor(await listen(server)).getVersion()).rejects.toMatchObject({
      failure: 'unreachable',
      didNothing: false,
    });
  });

  test('an answer of 200 MB is given up after its first 16 MiB, and the connection closed', async () => {
    let written = 0;
    let isClosed = false;
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const server = createServer((_, response) => {
      response.on('close', () => {
        isClosed = true;
      });
      const pour = (): void => {
        written += chunk.length;
        if (written < 200_000_000 && !response.destroyed) response.write(chunk, pour);
      };
      pour();
    });
    const before = process.memoryUsage().rss;
    await expect(clientFor(await listen(server)).getServe()).rejects.toMatchObject({ failure: 'too-big' });
    await expect.poll(() => isClosed).toBe(true);
    expect(written).toBeLessThan(60_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });
});

describe('through a proxy', () => {
  const head = 'http://x-head-svc.ns.svc.cluster.local:8265';

  test('a plain request names its whole address, and the login of the proxy', async () => {
    const seen: IncomingMessage[] = [];
    const proxy = createServer((request, response) => {
      seen.push(request);
      response.end('{"status":"RUNNING"}');
    });
    const address = new URL(await listen(proxy));
    address.username = 'jane';
    address.password = 'p@ss';
    const asked: string[] = [];
    const proxyFor = (url: URL) => {
      asked.push(url.host);
      return address;
    };
    expect(await clientFor(head, { proxyFor }).getJob('j')).toMatchObject({ status: 'RUNNING' });
    expect(seen[0]?.url).toBe(`${head}/api/jobs/j`);
    expect(seen[0]?.headers).toMatchObject({
      host: 'x-head-svc.ns.svc.cluster.local:8265',
      'proxy-authorization': `Basic ${btoa('jane:p@ss')}`,
    });
    expect(asked).toEqual(['x-head-svc.ns.svc.cluster.local:8265']);
  });

  test('heads that it does not speak for are reached directly', async () => {
    const { url } = await served();
    expect(await clientFor(url, { proxyFor: () => undefined }).getVersion()).toMatchObject({ rayVersion: '2.60.0' });
  });

  test('a proxy that we cannot talk to is named', async () => {
    const proxyFor = () => new URL('socks5://10.0.0.1:1080');
    await expect(clientFor(head, { proxyFor }).getVersion()).rejects.toThrow(
      'x-head-svc.ns.svc.cluster.local:8265 can be reached only through an http:// proxy, not through socks5://10.0.0.1:1080',
    );
  });

  test('a head behind TLS is reached through a tunnel', async () => {
    const wanted: (string | undefined)[] = [];
    const inside = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      // The first byte of a TLS handshake: enough to know that the client speaks TLS into the tunnel.
      socket.once('data', (chunk) => {
        wanted.push(`handshake ${chunk[0]}`);
        socket.destroy();
      });
    });
    const port = Number(new URL(await listen(inside)).port);
    const proxy = createServer().on('connect', (request, client) => {
      wanted.push(request.url);
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
    });
    const address = new URL(await listen(proxy));
    const client = clientFor('https://head.example', { proxyFor: () => address });
    await expect(client.getVersion()).rejects.toMatchObject({ failure: 'unreachable' });
    expect(wanted).toEqual(['head.example:443', 'handshake 22']);
  });

  test('a tunnel that is refused is told with its status', async () => {
    const proxy = createServer().on('connect', (_, client) => client.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const address = new URL(await listen(proxy));
    const client = clientFor('https://head.example', { proxyFor: () => address });
    await expect(client.getVersion()).rejects.toThrow(
      `the proxy ${address.origin} answered 403 to CONNECT head.example:443`,
    );
  });
});
