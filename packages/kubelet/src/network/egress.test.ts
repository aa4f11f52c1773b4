import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from './egress.ts';
import { createAddressPolicy } from './refused-address.ts';

describe('the way out of the pods’ network', () => {
  const outside = createServer((asked, answer) => answer.end(`${asked.method} ${asked.url} for ${asked.headers.host}`));
  /** A proxy that this machine needs for some addresses. */
  const far = createServer((asked, answer) =>
    answer.end(`far ${asked.url} ${String(asked.headers['proxy-authorization'])}`),
  );
  const egress = createTcpServer(
    { allowHalfOpen: true },
    createEgress({
      proxyFor: (url) =>
        url.hostname === 'far.example' ? new URL(`http://me:secret@127.0.0.1:${portOf(far)}`) : undefined,
      // The world outside is on loopback here.
      policy: createAddressPolicy({ engineRanges: [], allowed: ['127.0.0.1'] }),
      resolve: () => Promise.resolve(['198.51.100.1']),
    }),
  );
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    for (const server of [outside, far, egress]) await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    for (const server of [outside, far]) {
      server.closeAllConnections();
      server.close();
    }
    egress.close();
  });

  it('passes plain requests on', async () => {
    const host = `127.0.0.1:${portOf(outside)}`;
    const asked = request({ port: portOf(egress), path: `http://${host}/simple/six/?x=1`, headers: { host } }).end();
    const [answer] = await once(asked, 'response');
    expect(await text(answer)).toBe(`GET /simple/six/?x=1 for ${host}`);
  });

  it('goes through the machine’s own proxy where the machine would, and nowhere else', async () => {
    far.on('connect', (asked, socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${String(asked.url)}`));
    const plain = request({ port: portOf(egress), path: 'http://far.example/x' }).end();
    const [answer] = await once(plain, 'response');
    expect(await text(answer)).toBe('far http://far.example/x Basic bWU6c2VjcmV0');
    const tunnel = request({ port: portOf(egress), method: 'CONNECT', path: 'far.example:443' }).end();
    const [, socket, head] = await once(tunnel, 'connect');
    expect(`${String(head)}${await text(socket)}`).toBe('far.example:443');
  });

  it('opens tunnels', async () => {
    const host = `127.0.0.1:${portOf(outside)}`;
    const asked = request({ port: portOf(egress), method: 'CONNECT', path: host }).end();
    const [answer, socket] = await once(asked, 'connect');
    expect(answer.statusCode).toBe(200);
    socket.end(`GET /through HTTP/1.1\r\nhost: inside\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toContain('GET /through for inside');
  });

  it('does not let an answer that breaks off look whole', async () => {
    const breaking = createTcpServer((socket) =>
      socket
        .on('error', () => undefined)
        .once('data', () =>
          socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\n', () =>
            socket.resetAndDestroy(),
          ),
        ),
    );
    await once(breaking.listen(0, '127.0.0.1'), 'listening');
    const asked = request({ port: portOf(egress), path: `http://127.0.0.1:${portOf(breaking)}/` }).end();
    const [answer] = await once(asked, 'response');
    await expect(text(answer)).rejects.toThrow('aborted');
    breaking.close();
  });

  it('refuses a tunnel to a port that is none', async () => {
    const asked = request({ port: portOf(egress), method: 'CONNECT', path: '127.0.0.1:99999' }).end();
    const [answer, socket] = await once(asked, 'connect');
    expect(answer.statusCode).toBe(400);
    socket.destroy();
  });

  it('says so when nobody is there', async () => {
    const asked = request({ port: portOf(egress), path: 'http://127.0.0.1:1/' }).end();
    const [answer] = await once(asked, 'response');
    expect(answer.statusCode).toBe(502);
    expect(await text(answer)).toContain('ECONNREFUSED');
  });
});
