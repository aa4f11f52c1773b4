import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PodConnections } from '../supervisor/pod-connections.ts';
import type { Target } from './balancer.ts';
import { Balancers } from './balancers.ts';

const HOST = '127.0.0.1';
const MEGABYTE = 1024 * 1024;
const sleeping = <T>() => new Promise<T>(() => {});

let pods: PodConnections;
let balancers: Balancers;
let servers: Server[];
let port: number;
beforeEach(async () => {
  pods = new PodConnections();
  balancers = new Balancers((target) => pods.connect(target));
  servers = [];
  port = await freePort();
});
afterEach(() => {
  balancers.close();
  for (const server of servers) server.close();
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const free = portOf(server);
  server.close();
  await once(server, 'close');
  return free;
}

/** A pod that does this with every connection. */
async function pod(serve: (socket: Socket) => void): Promise<Target> {
  const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket.on('error', () => undefined)));
  servers.push(server.listen(0, HOST));
  await once(server, 'listening');
  return { ip: HOST, port: portOf(server) };
}

/** A pod that says nothing and hears nothing, and its first connection. */
async function quietPod(): Promise<{ readonly target: Target; readonly first: Promise<Socket> }> {
  const { promise: first, resolve } = Promise.withResolvers<Socket>();
  return { target: await pod(resolve), first };
}

/** One that nobody listens for. */
const dead = async (): Promise<Target> => ({ ip: HOST, port: await freePort() });

const lead = (...targets: readonly Target[]) => balancers.apply([{ host: HOST, port, targets }]);

async function dial(): Promise<Socket> {
  const socket = connect({ host: HOST, port, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}
const ask = async () => await text(await dial());

describe('a port of a Service', () => {
  it('leads to its pods in turn', async () => {
    await lead(await pod((socket) => socket.end('a')), await pod((socket) => socket.end('b')));
    const said = [await ask(), await ask(), await ask(), await ask()];
    expect(said.join('')).toMatch(/^(abab|baba)$/);
  });

  it('passes over pods that do not answer, and loses nothing that was said before', async () => {
    const echo = await pod((socket) => socket.pipe(socket));
    await lead(await dead(), await dead(), echo);
    for (let n = 0; n < 3; n += 1) {
      const socket = await dial();
      socket.end('from the first byte on');
      expect(await text(socket)).toBe('from the first byte on');
    }
  });

  it('passes over pods that never say whether they are there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answering = await pod((socket) => socket.end('here'));
      balancers = new Balancers((target) => (target.port === 1 ? sleeping() : pods.connect(target)));
      await lead({ ip: HOST, port: 1 }, answering);
      const said = Promise.all([ask(), ask()]);
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await said).toEqual(['here', 'here']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('breaks off where no pod answers at all', async () => {
    await lead(await dead());
    await expect(ask()).rejects.toThrow('ECONNRESET');
  });

  it('refuses while there is no pod, and serves when there is one', async () => {
    await lead();
    await expect(ask()).rejects.toThrow('ECONNREFUSED');
    await lead(await pod((socket) => socket.end('now')));
    expect(await ask()).toBe('now');
    await lead();
    await expect(ask()).rejects.toThrow('ECONNREFUSED');
  });

  it('lets a side go on that the other has finished speaking to', async () => {
    await lead(
      await pod((socket) => {
        void buffer(socket).then((heard) => socket.end(`heard ${heard.length}`));
      }),
    );
    const socket = await dial();
    socket.end(Buffer.alloc(MEGABYTE));
    expect(await text(socket)).toBe(`heard ${MEGABYTE}`);
  });

  it('lets a client go on that its pod has finished speaking to', async () => {
    const { target, first } = await quietPod();
    await lead(target);
    const client = await dial();
    const far = await first;
    far.end('done');
    expect(await text(client)).toBe('done');
    client.end(Buffer.alloc(MEGABYTE));
    expect((await buffer(far)).length).toBe(MEGABYTE);
  });

  it('carries much in both directions at once, unchanged', async () => {
    await lead(await pod((socket) => socket.pipe(socket)));
    const sent = Buffer.from(Uint32Array.from({ length: 4 * MEGABYTE }, (_, n) => n * 2_654_435_761).buffer);
    const socket = await dial();
    const heard = buffer(socket);
    socket.end(sent);
    expect((await heard).equals(sent)).toBe(true);
  });

  it.each(['a pod', 'a client'])('takes from %s no more than the other side reads', async (who) => {
    const { target, first } = await quietPod();
    await lead(target);
    const near = await dial();
    const talker = who === 'a pod' ? await first : near;
    let taken = 0;
    // The kernel keeps some megabytes on the way; a proxy that does not wait would take them all.
    for (let idle = 0; idle < 200 && taken < 64 * MEGABYTE; idle += 1) {
      if (talker.writableNeedDrain) {
        await setImmediate();
        continue;
      }
      talker.write(Buffer.alloc(MEGABYTE));
      taken += MEGABYTE;
      idle = 0;
    }
    expect(taken).toBeLessThan(64 * MEGABYTE);
    near.destroy();
  });

  it('keeps connections to a pod that it does not lead to any more, until the pod is gone', async () => {
    const { target, first } = await quietPod();
    await lead(target);
    const client = await dial();
    const far = await first;
    await lead(await pod((socket) => socket.end('new')));
    far.write('still here');
    expect(String((await once(client, 'data'))[0])).toBe('still here');
    expect(await ask()).toBe('new');
    const ended = once(client, 'close');
    pods.endOf(HOST);
    await expect(ended).rejects.toThrow('ECONNRESET');
  });

  it('tells a client when its pod has broken off, so that nobody takes half an answer for a whole', async () => {
    await lead(
      await pod((socket) => {
        socket.write('half', () => socket.resetAndDestroy());
      }),
    );
    await expect(ask()).rejects.toThrow('ECONNRESET');
  });

  it('tells a pod when its client has left', async () => {
    const { target, first } = await quietPod();
    await lead(target);
    const client = await dial();
    const far = await first;
    const ended = once(far.resume(), 'close');
    client.resetAndDestroy();
    await expect(ended).rejects.toThrow('ECONNRESET');
  });

  it('is free again when it is not wanted any more, and all are at the end', async () => {
    const target = await pod((socket) => socket.resume());
    const other = await freePort();
    const balanced = (at: number) => ({ host: HOST, port: at, targets: [target] });
    const isFree = async (at: number) => {
      const server = createServer();
      try {
        await once(server.listen(at, HOST), 'listening');
        return true;
      } catch {
        return false;
      } finally {
        server.close();
      }
    };
    await balancers.apply([balanced(port), balanced(other)]);
    expect(await Promise.all([port, other].map(isFree))).toEqual([false, false]);
    await balancers.apply([balanced(other)]);
    expect(await Promise.all([port, other].map(isFree))).toEqual([true, false]);
    const socket = connect({ host: HOST, port: other });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    balancers.close();
    await ended;
    expect(await isFree(other)).toBe(true);
    expect(await balancers.apply([balanced(other)])).toEqual([]);
    expect(await isFree(other)).toBe(true);
  });

  it('that is taken is named, and served when it is asked for again', async () => {
    const squatter = createServer().listen(port, HOST);
    await once(squatter, 'listening');
    const target = await pod((socket) => socket.end('served'));
    expect(await lead(target)).toEqual([
      { balanced: { host: HOST, port, targets: [target] }, error: expect.objectContaining({ code: 'EADDRINUSE' }) },
    ]);
    squatter.close();
    await once(squatter, 'close');
    expect(await lead(target)).toEqual([]);
    expect(await ask()).toBe('served');
  });
});
