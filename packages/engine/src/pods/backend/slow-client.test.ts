import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Duplex, PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { upgradeResponse } from '../../server/http/upgrade.ts';
import type { PodCall } from '../../server/subresources/pod-backend.ts';
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
