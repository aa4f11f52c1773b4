import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';
import { backendOf, startBackend, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

/** A backend that answers when told. */
async function held() {
  let release = () => {};
  let arrived = () => {};
  const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
  let connections = 0;
  const started = await parts.backend(
    (_, response) => {
      release = () => void response.end('late but whole');
      arrived();
    },
    0,
    (server) => {
      server.on('connection', (socket) => {
        connections += 1;
        socket.on('close', () => (connections -= 1));
      });
    },
  );
  return { ...started, hasArrived, release: () => release(), connections: () => connections };
}

describe('a backend that leaves the table', () => {
  it('ends what it has, gets nothing new, and keeps no connection', async () => {
    const { proxy, port } = await parts.proxy();
    const old = await held();
    proxy.setTable(tableOf([backendOf('d/old:1', 1, old)]));
    const inFlight = ask(port, { method: 'POST', body: 'x' });
    await old.hasArrived;
    proxy.setTable(tableOf([backendOf('d/new:1', 1, await parts.says('new'))]));
    expect((await ask(port)).body).toBe('new');
    expect([...proxy.outstanding().values()]).toEqual([0, 1]);
    old.release();
    expect(await inFlight).toMatchObject({ status: 200, body: 'late but whole' });
    while (old.connections() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('closes idle connections at once', async () => {
    const { proxy, port } = await parts.proxy();
    let closed = () => {};
    const isClosed = new Promise<string>((resolve) => (closed = () => resolve('closed')));
    const old = await parts.backend(
      (_, response) => void response.end('old'),
      0,
      (server) => server.on('connection', (socket) => socket.on('close', closed)),
    );
    proxy.setTable(tableOf([backendOf('d/old:1', 1, old)]));
    await ask(port);
    proxy.setTable(tableOf([]));
    // Left alone, an idle connection lives for two seconds.
    const later = new Promise((resolve) => setTimeout(() => resolve('idle'), 1_500));
    expect(await Promise.race([isClosed, later])).toBe('closed');
  });
});

describe('a proxy that is closed', () => {
  it('lets requests end, takes no new connections, and asks clients to leave', async () => {
    const { proxy, port } = await parts.proxy();
    const slow = await held();
    proxy.setTable(tableOf([backendOf('d/a:1', 1, slow)]));
    const agent = new Agent({ keepAlive: true });
    const inFlight = ask(port, { agent });
    await slow.hasArrived;
    const closing = proxy.close(60_000);
    await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
    slow.release();
    const answer = await inFlight;
    expect(answer).toMatchObject({ status: 200, body: 'late but whole' });
    expect(answer.headers.connection).toBe('close');
    await closing;
    agent.destroy();
  });

  it('cuts what has not ended when its patience is over', async () => {
    const { proxy, port } = await parts.proxy();
    const slow = await held();
    proxy.setTable(tableOf([backendOf('d/a:1', 1, slow)]));
    const inFlight = ask(port);
    inFlight.catch(() => undefined);
    await slow.hasArrived;
    await proxy.close(20);
    await expect(inFlight).rejects.toThrow(/hang up|reset/i);
  });

  it('does not wait for connections that never said anything', async () => {
    const { proxy, port } = await parts.proxy();
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    await proxy.close(20);
    await once(silent, 'close');
    expect(silent.destroyed).toBe(true);
  });
});

it('under constant load no request is lost while weights change and backends come and go', async () => {
  const { proxy, port } = await parts.proxy();
  const answers = new Map<string, number>();
  const failures: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  parts.also(() => agent.destroy());
  const load = { isRunning: true, sent: 0 };
  const client = async (id: number) => {
    while (load.isRunning) {
      load.sent += 1;
      const isPost = load.sent % 2 === 0;
      const question = isPost ? { method: 'POST', body: `from ${id}`.repeat(100) } : {};
      const answer = await ask(port, { ...question, agent }).catch((error: Error) => ({
        status: 0,
        body: error.message,
      }));
      if (answer.status === 200) answers.set(answer.body, (answers.get(answer.body) ?? 0) + 1);
      else failures.push(`${answer.status} ${answer.body}`);
    }
  };
  const start = (version: number) =>
    startBackend((incoming, response) => {
      incoming.resume();
      incoming.on('end', () => setImmediate(() => response.end(`v${version}`)));
    });
  let active = await start(0);
  proxy.setTable(tableOf([backendOf('d/v0:1', 100, active)]));
  const clients = Array.from({ length: 16 }, (_, id) => client(id));
  const until = async (count: number) => {
    const goal = load.sent + count;
    while (load.sent < goal) await new Promise((resolve) => setImmediate(resolve));
  };
  for (let version = 1; version <= 5; version += 1) {
    const next = await start(version);
    const names = [`d/v${version - 1}:1`, `d/v${version}:1`] as const;
    for (const weight of [0, 25, 50, 75, 100]) {
      proxy.setTable(tableOf([backendOf(names[0], 100 - weight, active), backendOf(names[1], weight, next)]));
      await until(60);
    }
    proxy.setTable(tableOf([backendOf(names[1], 100, next)]));
    // The old version goes as a pod does: once its requests have ended.
    while ([...proxy.outstanding()].some(([key, count]) => key.endsWith(`:${active.port}`) && count > 0))
      await new Promise((resolve) => setImmediate(resolve));
    await active.stop();
    active = next;
    await until(60);
  }
  load.isRunning = false;
  await Promise.all(clients);
  await active.stop();
  expect(failures).toEqual([]);
  expect([...answers.keys()].toSorted()).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5']);
  expect([...answers.values()].reduce((sum, count) => sum + count, 0)).toBe(load.sent);
});
