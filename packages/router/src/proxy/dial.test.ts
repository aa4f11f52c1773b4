import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ask } from '../testing/ask.ts';
import { backendOf, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';
import type { Address } from './route-table.ts';

const parts = createParts();
afterEach(() => parts.close());

/** Addresses of a network that this machine has no way to: 10.9.9.<n> is what listens on the n-th given port. */
function network(...ports: readonly number[]) {
  const dialed: string[] = [];
  return {
    dialed,
    at: (index: number, protocol: Address['protocol'] = 'auto') => ({
      address: { host: `10.9.9.${index}`, port: 80, protocol } as const,
    }),
    dial: async (host: string, port: number): Promise<Duplex> => {
      dialed.push(`${host}:${port}`);
      const target = ports[Number(host.split('.').at(-1))];
      if (target === undefined) throw new Error(`nobody is at ${host}`);
      const socket = connect(target, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
}

describe('endpoints that only a dial leads to', () => {
  it('are asked over connections that are kept', async () => {
    const far = network((await parts.says('far')).port);
    const { proxy, port } = await parts.proxy({ dial: far.dial });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, far.at(0))]));
    for (let i = 0; i < 3; i += 1) expect(await ask(port)).toMatchObject({ status: 200, body: 'far' });
    expect(far.dialed).toEqual(['10.9.9.0:80']);
  });

  it('that cannot be reached are passed over, also for requests with a body', async () => {
    const far = network((await parts.says('far')).port);
    const { proxy, port } = await parts.proxy({ dial: far.dial, random: () => 0 });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, far.at(0), far.at(1))]));
    expect(await ask(port, { method: 'POST', body: 'x' })).toMatchObject({ status: 200, body: 'far' });
    expect(far.dialed).toEqual(['10.9.9.1:80', '10.9.9.0:80']);
  });

  it.each(['auto', 'http2'] as const)('that are never reached are given up in time (%s)', async (protocol) => {
    const dial = () => new Promise<never>(() => undefined);
    const { proxy, port } = await parts.proxy({ dial, limits: { connectMs: 20 } });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, network().at(0, protocol))]));
    const { status, body } = await ask(port);
    expect(status).toBe(502);
    expect(body).toContain('no connection within 20 ms');
  });

  it('are asked by HTTP/2 over one connection, however many wait for it', async () => {
    const backend = await parts.http2Backend((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('far');
    });
    const far = network(backend.port);
    const { proxy, port } = await parts.proxy({ dial: far.dial });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, far.at(0, 'http2'))]));
    const answers = await Promise.all([ask(port), ask(port), ask(port)]);
    expect(answers.map(({ body }) => body)).toEqual(['far', 'far', 'far']);
    expect(await ask(port)).toMatchObject({ body: 'far' });
    expect(far.dialed).toEqual(['10.9.9.0:80']);
  });

  it('that go while they are dialed by HTTP/2 answer who waits for them, and then their connection ends', async () => {
    const backend = await parts.http2Backend((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('far');
    });
    const far = network(backend.port);
    const opened: Duplex[] = [];
    let go = () => undefined as void;
    const isTime = new Promise<void>((resolve) => (go = resolve));
    const dial = async (host: string, port: number) => {
      const connection = await far.dial(host, port);
      await isTime;
      opened.push(connection);
      return connection;
    };
    const { proxy, port } = await parts.proxy({ dial });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, far.at(0, 'http2'))]));
    const answer = ask(port);
    await vi.waitFor(() => expect(far.dialed).toHaveLength(1));
    proxy.setTable(tableOf([]));
    go();
    expect(await answer).toMatchObject({ status: 200, body: 'far' });
    await vi.waitFor(() => expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]));
  });

  it('that cannot be reached by HTTP/2 are passed over', async () => {
    const far = network();
    const { proxy, port } = await parts.proxy({ dial: far.dial });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, far.at(0, 'http2'))]));
    expect(await ask(port)).toMatchObject({ status: 502, body: expect.stringContaining('nobody is at 10.9.9.0') });
  });

  it('take WebSockets', async () => {
    const backend = await parts.backend(
      (_, response) => void response.end(),
      0,
      (server) => void new WebSocketServer({ server }).on('connection', (socket) => socket.send('hello')),
    );
    const far = network(backend.port);
    const { proxy, port } = await parts.proxy({ dial: far.dial, random: () => 0 });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, far.at(0), far.at(1))]));
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    const [message] = await once(socket, 'message');
    expect(String(message)).toBe('hello');
    expect(far.dialed).toHaveLength(2);
    socket.terminate();
  });
});
