import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connection, Credentials } from '../transport/connection.ts';
import { createCertificateAuthority } from '../certificates/authority.ts';

/** The node's end of one WebSocket. */
export interface ServerSession {
  readonly request: IncomingMessage;
  readonly protocol: string;
  readonly socket: WebSocket;
  /** Every message so far as channel and text. */
  readonly received: readonly (readonly [channel: number, text: string])[];
  send(channel: number, payload: string | Uint8Array): void;
  /** Resolves when the client has sent what `isThere` looks for. */
  until(isThere: (received: ServerSession['received']) => boolean): Promise<void>;
}

export interface ChannelServerOptions {
  /** The subprotocols it speaks, best first. */
  readonly protocols: readonly string[];
  readonly isTls?: boolean;
  /** Plays the node. */
  readonly serve: (session: ServerSession) => unknown;
  /** Refuses the upgrade with this status and body where it returns one. */
  readonly refuse?: (request: IncomingMessage) => { readonly status: number; readonly body: string } | undefined;
}

export interface ChannelServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
  /** A connection to it. */
  connect(credentials?: () => Credentials, overrides?: Partial<Connection>): Connection;
}

/** An API server that only upgrades to WebSockets and hands each to a function. */
export async function startChannelServer(options: ChannelServerOptions): Promise<ChannelServer> {
  const authority = createCertificateAuthority();
  const identity = authority.issue({ commonName: 'kube-apiserver', ips: ['127.0.0.1'] });
  const server = options.isTls
    ? createHttpsServer({ ...identity, ca: authority.cert, requestCert: true, rejectUnauthorized: false })
    : createHttpServer();
  const requests: IncomingMessage[] = [];
  const webSockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => options.protocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    requests.push(request);
    const refusal = options.refuse?.(request);
    if (refusal !== undefined) {
      const length = Buffer.byteLength(refusal.body);
      socket.end(`HTTP/1.1 ${refusal.status} No\r\nContent-Length: ${length}\r\n\r\n${refusal.body}`);
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => options.serve(createSession(request, webSocket)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    requests,
    connect: (credentials = () => ({ headers: {} }), overrides = {}) => ({
      server: new URL(`${options.isTls ? 'https' : 'http'}://127.0.0.1:${port}`),
      tls: { ca: authority.cert, rejectUnauthorized: true },
      credentials,
      invalidateCredentials: () => undefined,
      ...overrides,
    }),
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return stop(server, webSockets);
    },
  };
}

async function stop(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const client of sockets.clients) client.terminate();
  await new Promise((resolve) => {
    server.close(() => resolve(undefined));
  });
}

function createSession(request: IncomingMessage, socket: WebSocket): ServerSession {
  const received: (readonly [number, string])[] = [];
  const waiting = new Set<() => void>();
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => {
    received.push([data[0] ?? -1, data.subarray(1).toString('latin1')]);
    for (const check of waiting) check();
  });
  return {
    request,
    protocol: socket.protocol,
    socket,
    received,
    send: (channel, payload) => socket.send(Buffer.concat([Uint8Array.of(channel), Buffer.from(payload)])),
    until: (isThere) =>
      new Promise((resolve) => {
        const check = () => {
          if (!isThere(received)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
