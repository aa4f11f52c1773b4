import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from './egress.ts';

describe('the way out of the pods’ network', () => {
  const outside = createServer((asked, answer) => answer.end(`${asked.method} ${asked.url} for ${asked.headers.host}`));
  const egress = createTcpServer({ allowHalfOpen: true }, createEgress({}));
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    for (const server of [outside, egress]) await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    outside.closeAllConnections();
    outside.close();
    egress.close();
  });

  it('passes plain requests on', async () => {
    const host = `127.0.0.1:${portOf(outside)}`;
    const asked = request({ port: portOf(egress), path: `http://${host}/simple/six/?x=1`, headers: { host } }).end();
    const [answer] = await once(asked, 'response');
    expect(await text(answer)).toBe(`GET /simple/six/?x=1 for ${host}`);
  });

  it('opens tunnels', async () => {
    const host = `127.0.0.1:${portOf(outside)}`;
    const asked = request({ port: portOf(egress), method: 'CONNECT', path: host }).end();
    const [answer, socket] = await once(asked, 'connect');
    expect(answer.statusCode).toBe(200);
    socket.end(`GET /through HTTP/1.1\r\nhost: inside\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toContain('GET /through for inside');
  });

  it('says so when nobody is there', async () => {
    const asked = request({ port: portOf(egress), path: 'http://127.0.0.1:1/' }).end();
    const [answer] = await once(asked, 'response');
    expect(answer.statusCode).toBe(502);
    expect(await text(answer)).toContain('ECONNREFUSED');
  });
});
