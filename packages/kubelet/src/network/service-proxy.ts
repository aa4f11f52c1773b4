import { guardConnection, type ListenerTimeouts, timeoutOptions } from '@manta/base';
import { admitFirst } from './admit-first.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { authorityOf, parseAuthority } from './authority.ts';
import { join } from './join.ts';
import type { Admit } from './loopback-access.ts';
import { endToEnd, refuse, refuseTunnel, relay } from './relay.ts';

/** Bodies that pass through may be large and slow; heads of requests may not. */
export const PROXY_LIMITS: ListenerTimeouts = { headersMs: 60_000, requestMs: 0, idleMs: 60_000, checkMs: 15_000 };
const PLACE = 'service proxy';

/** Opens a connection to what a host name and a port stand for; rejects with a readable message. */
export type Dial = (host: string, port: number) => Promise<Duplex>;

/** An HTTP proxy on a loopback port through which programs outside the pods' network reach Services and pods by name. */
export interface ServiceProxy {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServiceProxyOptions {
  readonly dial: Dial;
  /** Which connections are served; all unless given. */
  readonly admit?: Admit | undefined;
  readonly limits?: ListenerTimeouts;
}

/** Serves plain requests (`GET http://host/…`) and tunnels (`CONNECT host:port`). */
export async function startServiceProxy(options: ServiceProxyOptions): Promise<ServiceProxy> {
  const { dial, admit, limits = PROXY_LIMITS } = options;
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(
    timeoutOptions(limits),
    guardConnection(PLACE, (request: IncomingMessage, response: ServerResponse) => pass(request, response, dial)),
  );
  server.on(
    'connect',
    guardConnection(PLACE, (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      tunnel(request, socket, head, dial),
    ),
  );
  const waiting = admitFirst(server, PLACE, admit);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // A connection that could not be accepted does not end the proxy.
  server.on('error', () => undefined);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of waiting) socket.destroy();
      }),
  };
}

async function pass(request: IncomingMessage, response: ServerResponse, dial: Dial): Promise<void> {
  const url = URL.parse(request.url ?? '');
  const to = url === null ? undefined : authorityOf(url);
  if (url === null || to === undefined) {
    refuse(response, 400, 'this is a proxy: request http://host:port/path');
    return;
  }
  try {
    const socket = await dial(to.host, to.port);
    const path = url.pathname + url.search;
    await relay(request, response, { socket, method: request.method, path, headers: endToEnd(request.headers) });
  } catch (error) {
    refuse(response, 502, error);
  }
}

async function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer, dial: Dial): Promise<void> {
  socket.on('error', () => socket.destroy());
  const to = parseAuthority(request.url ?? '');
  if (to === undefined) {
    refuseTunnel(socket, '400 Bad Request', 'CONNECT needs host:port or [address]:port');
    return;
  }
  try {
    const far = await dial(to.host, to.port);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) far.write(head);
    join(socket, far);
  } catch (error) {
    refuseTunnel(socket, '502 Bad Gateway', error);
  }
}
