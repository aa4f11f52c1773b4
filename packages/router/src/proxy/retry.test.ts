import { once } from 'node:events';
import { Agent } from 'node:http';
import { constants } from 'node:http2';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { ask } from '../testing/ask.ts';
import { backendOf, type TestBackend, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

/** Nobody listens there. */
async function nobody(): Promise<Pick<TestBackend, 'address'>> {
  return { address: { host: '127.0.0.1', port: await freePort(), protocol: 'auto' } };
}

/** Reads requests and hangs up without a word; counts them. */
async function hangsUp() {
  let heard = 0;
  const started = await parts.backend((incoming) => {
    heard += 1;
    incoming.socket.destroy();
  });
  return { ...started, heard: () => heard };
}

const both = (first: Pick<TestBackend, 'address'>, second: Pick<TestBackend, 'address'>) =>
  // The first of two that are equally busy is taken, since the dice never favour a later one.
  tableOf([backendOf('d/a:1', 1, first, second)]);
const firstOfTies = { random: () => 0.99 };

describe('a request that met nobody', () => {
  it.each(['GET', 'POST', 'PATCH'])('goes to another endpoint, also as %s with a body', async (method) => {
    const { proxy, port } = await parts.proxy(firstOfTies);
    const echo = await parts.backend((incoming, response) => void incoming.pipe(response));
    proxy.setTable(both(await nobody(), echo));
    expect(await ask(port, { method, body: 'precious' })).toMatchObject({ status: 200, body: 'precious' });
  });

  it('leaves that endpoint alone for a moment, then tries again', async () => {
    let now = 1_000;
    const retried: string[] = [];
    const { proxy, port } = await parts.proxy({
      ...firstOfTies,
      clock: { now: () => now, setTimer: () => () => undefined },
      observer: { answered: () => undefined, retried: (backend) => retried.push(backend) },
    });
    proxy.setTable(both(await nobody(), await parts.says('ok')));
    await ask(port);
    await ask(port);
    expect(retried).toEqual(['d/a:1']);
    now += 500;
    await ask(port);
    expect(retried).toEqual(['d/a:1', 'd/a:1']);
    now += 500;
    await ask(port);
    expect(retried).toHaveLength(2);
  });

  it('goes to another backend of the rule where the whole first one is away', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(tableOf([backendOf('d/a:1', 99, await nobody()), backendOf('d/b:1', 1, await parts.says('b'))]));
    expect(await ask(port, { method: 'POST', body: 'x' })).toMatchObject({ status: 200, body: 'b' });
  });

  it('never goes to a backend of weight 0', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(tableOf([backendOf('d/a:1', 100, await nobody()), backendOf('d/b:1', 0, await parts.says('b'))]));
    expect(await ask(port)).toMatchObject({
      status: 502,
      body: expect.stringContaining('no endpoint could be reached'),
    });
  });

  it('is answered again as soon as the endpoint is back, though it was thought away', async () => {
    const { proxy, port } = await parts.proxy();
    const address = (await nobody()).address;
    proxy.setTable(tableOf([backendOf('d/a:1', 1, { address })]));
    expect((await ask(port)).status).toBe(502);
    await parts.backend((_, response) => void response.end('back'), address.port);
    expect((await ask(port)).body).toBe('back');
  });
});

describe('a request that was sent and not answered', () => {
  it('is sent to another endpoint where that changes nothing', async () => {
    const { proxy, port } = await parts.proxy(firstOfTies);
    const rude = await hangsUp();
    proxy.setTable(both(rude, await parts.says('ok')));
    expect(await ask(port)).toMatchObject({ status: 200, body: 'ok' });
    expect(rude.heard()).toBe(1);
  });

  it.each([
    ['POST', 'x'],
    ['POST', undefined],
    ['PATCH', 'x'],
  ])('is never sent twice as %s with the body %s', async (method, body) => {
    const { proxy, port } = await parts.proxy(firstOfTies);
    const rude = await hangsUp();
    proxy.setTable(both(rude, await parts.says('ok')));
    const answer = await ask(port, { method, ...(body === undefined ? {} : { body }) });
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('d/a:1 broke off without an answer') });
    expect(rude.heard()).toBe(1);
  });

  it('is never sent again without what was read of its body, though the endpoint says it has not looked', async () => {
    const { proxy, port } = await parts.proxy(firstOfTies);
    const busy = await parts.http2Backend((stream) =>
      stream.once('data', () => stream.close(constants.NGHTTP2_REFUSED_STREAM)),
    );
    let heard = 0;
    const other = await parts.backend((_, response) => {
      heard += 1;
      response.end();
    });
    proxy.setTable(both(busy, other));
    expect(await ask(port, { method: 'POST', body: 'order 17' })).toMatchObject({ status: 502 });
    expect(heard).toBe(0);
  });

  it('is never sent again once an answer has begun', async () => {
    const { proxy, port } = await parts.proxy(firstOfTies);
    let asked = 0;
    const half = await parts.backend((_, response) => {
      asked += 1;
      response.writeHead(200, { 'content-length': 9 });
      response.write('half', () => response.destroy());
    });
    proxy.setTable(both(half, half));
    await expect(ask(port)).rejects.toThrow(/aborted|hang up/);
    expect(asked).toBe(1);
  });

  it('goes to the same endpoint over a new connection where the old one had died while idle', async () => {
    const { proxy, port } = await parts.proxy();
    // Answers the first request of each connection, and hangs up on the second.
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        socket.once('data', () => socket.destroy());
      });
      socket.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    parts.also(() => void server.close());
    const bound = server.address();
    const address = {
      host: '127.0.0.1',
      port: typeof bound === 'object' ? (bound?.port ?? 0) : 0,
      protocol: 'auto',
    } as const;
    proxy.setTable(tableOf([backendOf('d/a:1', 1, { address })]));
    const agent = new Agent({ keepAlive: true });
    for (let i = 0; i < 4; i += 1) expect(await ask(port, { agent })).toMatchObject({ status: 200, body: 'ok' });
    agent.destroy();
  });
});
