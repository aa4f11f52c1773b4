import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PodBehindProxies, startPodBehindProxies } from './pod-behind-proxies.ts';

let pod: PodBehindProxies;
beforeAll(async () => {
  pod = await startPodBehindProxies();
});
afterAll(() => pod.stop());

async function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { port } = pod.engine.server;
  const options = { port, path, headers: { authorization: 'Bearer admin', ...headers }, rejectUnauthorized: false };
  const [answer] = await once(request(options).end(), 'response');
  await text(answer);
  return answer.statusCode;
}

describe('pods/proxy', () => {
  it.each([
    ['/a%20b', '/a%20b'],
    ['/a%2Fb', '/a%2Fb'],
    ['/%00', '/%00'],
    ['/%zz', '/%zz'],
    ['/a%0d%0ax:y', '/a%0d%0ax:y'],
    ['/%E2%82%AC?q=%20+%2B&r', '/%E2%82%AC?q=%20+%2B&r'],
    ['/x/', '/x/'],
    ['', '/'],
  ])('passes the path %s on as it was written', async (path, expected) => {
    pod.answerWith('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    expect(await ask(pod.proxyPath + path)).toBe(200);
    expect(pod.received().split('\r\n')[0]).toBe(`GET ${expected} HTTP/1.1`);
    expect(pod.engine.internalErrors).toEqual([]);
  });

  it('leaves no connection to the pod open when the host of an absolute target is no host', async () => {
    pod.answerWith('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    expect(await ask(`https://x:99999${pod.proxyPath}/a?b=c`)).toBe(200);
    expect(pod.received().split('\r\n')[0]).toBe('GET /a?b=c HTTP/1.1');
    await vi.waitFor(() => expect(pod.openConnections()).toBe(0), { timeout: 5000 });
  });

  it.each([{}, { connection: 'content-length', 'content-length': '22' }, { 'transfer-encoding': 'chunked' }])(
    'passes the body of a GET on as a body, not as a second request: %j',
    async (headers) => {
      const { port } = pod.engine.server;
      pod.answerWith('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      const all = { authorization: 'Bearer admin', 'content-length': '22', ...headers };
      if ('transfer-encoding' in headers) Reflect.deleteProperty(all, 'content-length');
      const asked = request({ port, path: `${pod.proxyPath}/`, headers: all, rejectUnauthorized: false });
      asked.end('POST /second HTTP/1.1\n');
      const [answer] = await once(asked, 'response');
      await text(answer);
      expect(pod.received()).toMatch(/^(?:content-length: 22|transfer-encoding: chunked)\r$/im);
    },
  );

  it('does not show the caller’s token to the pod', async () => {
    pod.answerWith('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    await ask(`${pod.proxyPath}/`);
    expect(pod.received()).not.toContain('Bearer');
  });

  it('leaves no connection to the pod open, whatever was asked', async () => {
    pod.answerWith('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    for (const path of ['/a%20b', '/%00', '/ok', '/a%0ab']) await ask(pod.proxyPath + path);
    // A pod that never answers, and a client that leaves.
    pod.onConnection = () => undefined;
    const { port } = pod.engine.server;
    const asked = request({
      port,
      path: `${pod.proxyPath}/slow`,
      headers: { authorization: 'Bearer admin' },
      rejectUnauthorized: false,
    });
    asked.on('error', () => undefined).end();
    await vi.waitFor(() => expect(pod.openConnections()).toBe(1));
    asked.destroy();
    await vi.waitFor(() => expect(pod.openConnections()).toBe(0), { timeout: 5000 });
  });
});
