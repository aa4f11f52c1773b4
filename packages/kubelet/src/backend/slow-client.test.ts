import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Duplex, PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { upgradeResponse } from '../../../apiserver/src/http/upgrade.ts';
import type { PodCall } from '@manta/apiserver';
import { serveExec } from './exec.ts';
import { servePortForward } from './port-forward.ts';

const MEGABYTE = 1024 * 1024;
const ALL = 64 * MEGABYTE;

let server: Server;
/** The connection of the client, as the server has it. */
let connection: Socket | undefined;
/** How much has been taken from the pod, and whether it was let go; each test has its own. */
let pod: { taken: number; isGone: boolean };
let serve: (call: PodCall) => Promise<void>;
let served: Promise<void> | undefined;

beforeEach(async () => {
  pod = { taken: 0, isGone: false };
  server = createServer();
  server.on('upgrade', (request, socket, head) => {
    connection = socket as Socket;
    const query = new URLSearchParams({ command: 'talk', ports: '80' });
    served = serve({ request, query, response: upgradeResponse(request, socket, head) } as never);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  connection?.destroy();
  server.close();
});

/** All that a pod has to say, made when it is asked for. */
function* talk(own: typeof pod): Generator<Buffer> {
  while (own.taken < ALL) {
    own.taken += MEGABYTE / 16;
    yield Buffer.alloc(MEGABYTE / 16);
  }
}

const EMPTY = () => Readable.from([]);
const kinds: Readonly<Record<string, (call: PodCall) => Promise<void>>> = {
  exec: (call) => {
    const own = pod;
    const stdout = Readable.from(talk(own));
    const ended = once(stdout, 'close').then(() => ({ code: 0 }));
    const kill = () => {
      own.isGone = true;
      stdout.destroy();
    };
    const streams = { stdin: new PassThrough(), stdout, stderr: EMPTY(), ended, kill };
    const container = { process: {}, container: { name: 'c' } };
    return serveExec({ exec: async () => streams } as never, container as never, call);
  },
  'port-forward': (call) => {
    const own = pod;
    const said = talk(own);
    const connected = new Duplex({
      read: () => void connected.push(said.next().value ?? null),
      write: (_chunk, _encoding, done) => done(),
    });
    connected.once('close', () => {
      own.isGone = true;
    });
    return servePortForward({ connect: async () => connected } as never, call);
  },
};

function dial(): WebSocket {
  const { port } = server.address() as AddressInfo;
  return new WebSocket(`ws://127.0.0.1:${port}/`, ['v4.channel.k8s.io']);
}

describe.each(Object.keys(kinds))('%s', (kind) => {
  beforeEach(() => {
    serve = kinds[kind] as typeof serve;
  });

  it('takes from a pod no more than its client reads, and lets go when the client leaves', async () => {
    const socket = dial();
    await once(socket, 'open');
    socket.pause();
    await vi.waitFor(() => expect(connection?.writableNeedDrain).toBe(true), { timeout: 5000 });
    for (let n = 0; n < 500; n += 1) await setImmediate();
    expect(connection?.writableLength).toBeLessThan(MEGABYTE);
    expect(pod.taken).toBeLessThan(ALL);
    socket.terminate();
    await vi.waitFor(() => expect(pod.isGone).toBe(true), { timeout: 5000 });
    await served;
  });

  it('brings all that a pod says to a client that reads, in the end', async () => {
    const socket = dial();
    let heard = 0;
    socket.on('message', (data: Buffer) => {
      // Greetings and the last word have a few bytes.
      if (data.length > 1000) heard += data.length - 1;
    });
    await once(socket, 'close');
    expect(heard).toBe(ALL);
  });
});

describe('a command that is told something', () => {
  /** A command that takes what it is told when a test lets it. */
  function listener() {
    const ended = Promise.withResolvers<{ code: number }>();
    const waiting: (() => void)[] = [];
    const heard = { bytes: 0, isFree: false };
    const stdin = new Writable({
      write(chunk: Buffer, _encoding, done) {
        heard.bytes += chunk.length;
        if (heard.isFree) done();
        else waiting.push(done);
      },
      final: (done) => {
        done();
        ended.resolve({ code: 0 });
      },
    });
    const free = () => {
      heard.isFree = true;
      for (const done of waiting.splice(0)) done();
    };
    const kill = () => {
      pod.isGone = true;
      ended.resolve({ code: 137 });
    };
    const streams = { stdin, stdout: EMPTY(), stderr: EMPTY(), ended: ended.promise, kill };
    serve = (call) => {
      call.query.set('stdin', 'true');
      return serveExec(
        { exec: async () => streams } as never,
        { process: {}, container: { name: 'c' } } as never,
        call,
      );
    };
    return { stdin, heard, free };
  }

  /** Says 64 MB in pieces, and that this was all. */
  async function tell(): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, ['v5.channel.k8s.io']);
    await once(socket, 'open');
    for (let sent = 0; sent < ALL; sent += MEGABYTE) socket.send(Buffer.alloc(MEGABYTE));
    socket.send(Buffer.from([255, 0]));
    return socket;
  }

  it('is told no faster than it takes it, and all of it in the end', async () => {
    const { stdin, heard, free } = listener();
    const socket = await tell();
    await vi.waitFor(() => expect(connection?.isPaused()).toBe(true), { timeout: 5000 });
    for (let n = 0; n < 500; n += 1) await setImmediate();
    expect(stdin.writableLength).toBeLessThan(4 * MEGABYTE);
    free();
    await once(socket, 'close');
    expect(heard.bytes).toBe(ALL - ALL / MEGABYTE);
  });

  it('is ended when its client leaves before it has listened', async () => {
    listener();
    const socket = await tell();
    await vi.waitFor(() => expect(connection?.isPaused()).toBe(true), { timeout: 5000 });
    socket.terminate();
    await vi.waitFor(() => expect(pod.isGone).toBe(true), { timeout: 5000 });
    await served;
  });
});

describe('a forwarded port', () => {
  it('is sent no more than the pod takes', async () => {
    const connected = new Duplex({ read: () => undefined, write: () => undefined });
    serve = (call) => servePortForward({ connect: async () => connected } as never, call);
    const socket = dial();
    await once(socket, 'open');
    for (let sent = 0; sent < ALL; sent += MEGABYTE) socket.send(Buffer.alloc(MEGABYTE));
    await vi.waitFor(() => expect(connection?.isPaused()).toBe(true), { timeout: 5000 });
    for (let n = 0; n < 500; n += 1) await setImmediate();
    expect(connected.writableLength).toBeLessThan(4 * MEGABYTE);
    socket.terminate();
    await vi.waitFor(() => expect(connected.destroyed).toBe(true), { timeout: 5000 });
  });

  it('is let go when the client has left before the pod answered', async () => {
    const { promise, resolve } = Promise.withResolvers<Duplex>();
    serve = (call) => servePortForward({ connect: () => promise } as never, call);
    const socket = dial();
    await once(socket, 'open');
    const left = connection && once(connection, 'close');
    connection?.destroy();
    await left;
    const late = new Duplex({ read: () => undefined, write: () => undefined });
    resolve(late);
    await vi.waitFor(() => expect(late.destroyed).toBe(true), { timeout: 5000 });
  });
});
