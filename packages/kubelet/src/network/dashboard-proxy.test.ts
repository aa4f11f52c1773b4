import { once } from 'node:events';
import { createServer, type IncomingMessage, request as open, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DashboardProxy, startDashboardProxy } from './dashboard-proxy.ts';

let head: Server;
let proxy: DashboardProxy;
let port: number;
/** The requests that reached the head. */
let seen: IncomingMessage[];

beforeEach(async () => {
  seen = [];
  head = createServer((request, response) => {
    seen.push(request);
    request.resume();
    response.setHeader('set-cookie', ['token=secret; HttpOnly', 'b=2']).end('Ray dashboard');
  });
  head.on('upgrade', (request, socket) => {
    seen.push(request);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.pipe(socket);
  });
  await once(head.listen(0, '127.0.0.1'), 'listening');
  const dial = async () => {
    const socket = connect((head.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  proxy = await startDashboardProxy({ target: { host: 'a-head-svc.b.svc', port: 8265 }, dial, port: 0 });
  port = Number(new URL(proxy.url).port);
});
afterEach(() => {
  proxy.close();
  head.closeAllConnections();
  head.close();
});

async function ask(headers: Readonly<Record<string, string>> = {}, method = 'GET', path = '/') {
  const request = open({ host: '127.0.0.1', port, path, method, headers }).end();
  const [answer]: IncomingMessage[] = await once(request, 'response');
  if (answer === undefined) throw new Error('no answer');
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('the proxy of a Ray dashboard', () => {
  it('passes requests of programs, of its own page and of links on to the head', async () => {
    const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' };
    for (const [headers, method] of [
      [{}, 'POST'],
      [own, 'DELETE'],
      [LINK, 'GET'],
    ] as const)
      expect(await ask(headers, method, '/api/jobs/?a=%20b')).toMatchObject({ status: 200, body: 'Ray dashboard' });
    expect(seen.map(({ url, headers }) => [url, headers.host])).toEqual(
      Array.from({ length: 3 }, () => ['/api/jobs/?a=%20b', 'a-head-svc.b.svc:8265']),
    );
  });

  it.each([
    ['for another host name (DNS rebinding)', { host: 'evil.example' }, 'GET'],
    ['of a page of another origin', { origin: 'http://evil.example' }, 'POST'],
    ['of a page on another port of this host', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 'GET'],
    ['of a form on another page', LINK, 'POST'],
    ['of a frame on another page', { ...LINK, 'sec-fetch-dest': 'iframe' }, 'GET'],
  ])('refuses requests %s', async (_, headers, method) => {
    expect(await ask(headers, method)).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
  });

  it('refuses to be a proxy for other hosts', async () => {
    expect(await ask({}, 'GET', 'http://other.example/')).toMatchObject({ status: 403 });
  });

  it('keeps its cookies apart from those of other ports', async () => {
    const { headers } = await ask({ cookie: `console=c; ray-${port}-token=t; ray-1-token=x` });
    expect(headers['set-cookie']).toEqual([`ray-${port}-token=secret; HttpOnly`, `ray-${port}-b=2`]);
    expect(seen[0]?.headers.cookie).toBe('token=t');
    await ask({ cookie: 'console=c' });
    expect(seen[1]?.headers.cookie).toBeUndefined();
  });

  it('carries WebSockets, with the same checks', async () => {
    const upgrade = (headers: Readonly<Record<string, string>>) => {
      const request = open({
        host: '127.0.0.1',
        port,
        headers: { connection: 'Upgrade', upgrade: 'websocket', ...headers },
      }).end();
      return request;
    };
    const [, socket] = await once(upgrade({ cookie: 'console=c' }), 'upgrade');
    socket.write('ping');
    expect(String((await once(socket, 'data'))[0])).toBe('ping');
    socket.destroy();
    expect(seen[0]?.headers.cookie).toBeUndefined();
    const [refused]: IncomingMessage[] = await once(upgrade({ origin: 'http://evil.example' }), 'response');
    expect(refused?.statusCode).toBe(403);
    refused?.resume();
    expect(seen).toHaveLength(1);
  });
});
