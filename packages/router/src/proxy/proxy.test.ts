import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';
import { backendOf, type TestBackend, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());
const { proxy: startProxy, backend, says } = parts;

describe('a request', () => {
  it('arrives with its method, path, body and headers, and with who sent it', async () => {
    const { proxy, port } = await startProxy();
    const echo = await backend((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => (body += String(chunk)));
      incoming.on('end', () => {
        response.setHeader('set-cookie', ['a=1', 'b=2']);
        response.end(JSON.stringify({ method: incoming.method, url: incoming.url, headers: incoming.headers, body }));
      });
    });
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, echo)]));
    const answer = await ask(port, {
      method: 'POST',
      path: '/v1/x?y=z%20',
      headers: { host: 'example.com', 'x-a': 'b', connection: 'x-hop, close', 'x-hop': '1' },
      body: 'hello',
    });
    const got = JSON.parse(answer.body);
    expect(got).toMatchObject({ method: 'POST', url: '/v1/x?y=z%20', body: 'hello' });
    expect(got.headers).toMatchObject({
      host: 'example.com',
      'x-a': 'b',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'example.com',
      'x-forwarded-proto': 'http',
    });
    expect(got.headers['x-hop']).toBeUndefined();
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('keeps its body whatever its method and framing', async () => {
    const { proxy, port } = await startProxy();
    const echo = await backend((incoming, response) => void incoming.pipe(response));
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, echo)]));
    for (const method of ['POST', 'PUT', 'DELETE', 'GET']) {
      const chunked = await ask(port, { method, headers: { 'transfer-encoding': 'chunked' }, body: method });
      expect(chunked.body).toBe(method);
    }
    expect(await ask(port, { method: 'POST' })).toMatchObject({ status: 200, body: '' });
  });

  it('has answers without a body: HEAD, 204 and 304', async () => {
    const { proxy, port } = await startProxy();
    const odd = await backend((incoming, response) => {
      const status = Number(incoming.url?.slice(1));
      response.writeHead(status, status === 200 ? { 'content-length': 42 } : {}).end();
    });
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, odd)]));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const head = await ask(port, { method: 'HEAD', path: '/200', agent });
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '42' } });
    expect(await ask(port, { path: '/204', agent })).toMatchObject({ status: 204, body: '' });
    expect(await ask(port, { path: '/304', agent })).toMatchObject({ status: 304, body: '' });
    agent.destroy();
  });

  it('is answered piece by piece while the backend still works on it', async () => {
    const { proxy, port } = await startProxy();
    let finish = () => {};
    const slow = await backend((_, response) => {
      response.write('first');
      finish = () => response.end('last');
    });
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, slow)]));
    const asked = request({ host: '127.0.0.1', port, agent: false }).end();
    const [response] = await once(asked, 'response');
    const [first] = await once(response, 'data');
    expect(String(first)).toBe('first');
    finish();
    const [last] = await once(response, 'data');
    expect(String(last)).toBe('last');
  });

  it('waits for a slow reader instead of holding its answer in memory', async () => {
    const { proxy, port } = await startProxy();
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024);
    const endless = await backend((_, response) => {
      const push = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        response.once('drain', push);
      };
      push();
    });
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, endless)]));
    const asked = request({ host: '127.0.0.1', port, agent: false }).end();
    const [response] = await once(asked, 'response');
    response.pause();
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    asked.destroy();
  });

  it('stops at the backend when the client leaves', async () => {
    const { proxy, port } = await startProxy();
    let left = () => {};
    const hasLeft = new Promise<void>((resolve) => (left = resolve));
    let arrived = () => {};
    const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
    const slow = await backend((_, response) => {
      arrived();
      response.on('close', left);
    });
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, slow)]));
    const asked = request({ host: '127.0.0.1', port, agent: false }).end();
    asked.on('error', () => undefined);
    await hasArrived;
    expect([...proxy.outstanding().values()]).toEqual([1]);
    asked.destroy();
    await hasLeft;
    expect([...proxy.outstanding().values()]).toEqual([0]);
  });

  it('hears of an answer that breaks off in the middle', async () => {
    const { proxy, port } = await startProxy();
    const broken = await backend((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    });
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, broken)]));
    await expect(ask(port)).rejects.toThrow(/aborted|hang up/);
  });

  it('with a head that is too large is refused', async () => {
    const { proxy, port } = await startProxy();
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, await says('a'))]));
    expect(await ask(port, { headers: { 'x-large': 'x'.repeat(40_000) } })).toMatchObject({ status: 431 });
  });

  it('that is no HTTP gets a 400', async () => {
    const { port } = await startProxy();
    const socket = connect(port, '127.0.0.1');
    socket.write('PRIVET\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('400 Bad Request');
  });
});

describe('without an answer from a backend, a request hears', () => {
  it.each([
    ['that the router starts', undefined, 503, 'the router is starting'],
    ['that no host fits', { gateways: [] }, 404, 'no route is known for the host 127.0.0.1'],
    [
      'that there is no endpoint',
      tableOf([backendOf('default/a:8000', 1)]),
      503,
      'default/a:8000 has no ready endpoint',
    ],
    [
      'why there is no endpoint',
      tableOf([{ ...backendOf('default/a:8000', 1), problem: 'the Service does not exist' }]),
      503,
      'default/a:8000 has no ready endpoint: the Service does not exist',
    ],
    [
      'that nobody has a share',
      tableOf([backendOf('default/a:8000', 0)]),
      503,
      'every backend of the route has weight 0',
    ],
  ])('%s', async (_, table, status, text) => {
    const { proxy, port } = await startProxy();
    if (table !== undefined) proxy.setTable(table);
    const answer = await ask(port);
    expect(answer).toMatchObject({ status, body: `${text}\n` });
    expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  });

  it('that it took too long', async () => {
    const { proxy, port } = await startProxy();
    const silent = await backend(() => undefined);
    proxy.setTable(tableOf([backendOf('default/a:8000', 1, silent)], { timeoutMs: 30 }));
    const answer = await ask(port);
    expect(answer).toMatchObject({ status: 504, body: 'default/a:8000 did not answer within 30 ms\n' });
  });
});

describe('shares', () => {
  it('are exactly those of the weights, and follow them when they change', async () => {
    const { proxy, port } = await startProxy();
    const [a, b] = [await says('a'), await says('b')];
    const agent = new Agent({ keepAlive: true });
    const share = async (weightA: number) => {
      proxy.setTable(tableOf([backendOf('d/a:1', weightA, a), backendOf('d/b:1', 100 - weightA, b)]));
      let count = 0;
      for (let i = 0; i < 20; i += 1) count += Number((await ask(port, { agent })).body === 'b');
      return count;
    };
    expect([await share(100), await share(75), await share(50), await share(0)]).toEqual([0, 5, 10, 20]);
    agent.destroy();
  });

  it('of a backend without endpoints go to the others', async () => {
    const { proxy, port } = await startProxy();
    proxy.setTable(tableOf([backendOf('d/a:1', 99), backendOf('d/b:1', 1, await says('b'))]));
    expect((await ask(port)).body).toBe('b');
  });

  it('within a backend go to the endpoint with the fewest requests', async () => {
    const { proxy, port } = await startProxy();
    const held = await backend(() => undefined);
    const free = await says('free');
    proxy.setTable(tableOf([backendOf('d/a:1', 1, held)]));
    const asked = request({ host: '127.0.0.1', port, agent: false }).end();
    asked.on('error', () => undefined);
    while ([...proxy.outstanding().values()][0] !== 1) await new Promise((resolve) => setImmediate(resolve));
    proxy.setTable(tableOf([backendOf('d/a:1', 1, held, free)]));
    for (let i = 0; i < 5; i += 1) expect((await ask(port)).body).toBe('free');
    asked.destroy();
  });
});

describe('hosts', () => {
  it('choose among several Gateways, and a request that names none is told how', async () => {
    const { proxy, port } = await startProxy();
    const gateways = await Promise.all(
      ['a', 'b'].map(async (name) => ({
        ...tableOf([backendOf(`d/${name}:1`, 1, await says(name))], { key: `d/${name}/0` }).gateways[0]!,
        ownHosts: [`${name}.d`],
      })),
    );
    proxy.setTable({ gateways });
    expect((await ask(port, { headers: { host: 'b.d:8080' } })).body).toBe('b');
    const lost = await ask(port, { headers: { host: 'x.d' } });
    expect(lost).toMatchObject({ status: 404, body: expect.stringContaining('name one in the Host header: a.d, b.d') });
  });

  it('prefer the exact name to the wildcard, and the wildcard to the rest', async () => {
    const { proxy, port } = await startProxy();
    const [exact, wild, rest] = [await says('exact'), await says('wild'), await says('rest')];
    const rules = (key: string, to: TestBackend) =>
      tableOf([backendOf(key, 1, to)], { key }).gateways[0]!.hosts[0]!.rules;
    const hosts = [
      { hostname: undefined, rules: rules('c', rest) },
      { hostname: '*.example.com', rules: rules('b', wild) },
      { hostname: 'a.example.com', rules: rules('a', exact) },
    ];
    proxy.setTable({ gateways: [{ ownHosts: [], hosts }] });
    const at = async (host: string) => (await ask(port, { headers: { host } })).body;
    expect([await at('A.example.com'), await at('x.y.example.com'), await at('example.com')]).toEqual([
      'exact',
      'wild',
      'rest',
    ]);
  });
});
