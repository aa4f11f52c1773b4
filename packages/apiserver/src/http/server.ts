import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  API_SERVER_LIMITS,
  closeWhenIdle,
  guard,
  guardConnection,
  type ListenerTimeouts,
  timeoutOptions,
} from '@manta/base';
import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import { type AnsweredRequest, handle } from './handler.ts';
import { cutSlowBody } from './slow-body.ts';
import { upgradeResponse } from './upgrade.ts';

/** What the HTTPS front end needs; certificates and keys are PEM. */
export interface ServerOptions {
  readonly api: Api;
  readonly cert: string;
  readonly key: string;
  /** Whose client certificates are believed. */
  readonly clientCa: string;
  /** Bearer tokens that are known from the start. */
  readonly tokens?: ReadonlyMap<string, User>;
  readonly host?: string;
  /** 0 (the default): any free port. */
  readonly port?: number;
  /** Answers a request; `handle` by default. Tests put faults in between. */
  readonly answer?: typeof handle;
  /** Absent: the documented limits of the API server. */
  readonly limits?: ListenerTimeouts;
  /** Called for every request after its response. */
  readonly onRequest?: (request: AnsweredRequest) => void;
  /** Called with internal errors; clients get a 500 without details. */
  readonly onInternalError?: (error: unknown) => void;
}

/** A front end that listens. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Takes a connection that came another way than over its port. */
  accept(socket: Socket): void;
  /** Ends watches, waits for answers under way, closes connections. */
  close(): Promise<void>;
}

/** Serves an API over TLS: HTTP/2 to those who speak it, HTTP/1.1 to the others. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const {
    api,
    cert,
    key,
    clientCa,
    host = '127.0.0.1',
    port = 0,
    answer = handle,
    limits = API_SERVER_LIMITS,
  } = options;
  const connections = new Connections();
  let address = '';
  const handler = {
    api,
    tokens: options.tokens ?? new Map<string, User>(),
    address: () => address,
    ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
    onInternalError: options.onInternalError ?? (() => undefined),
  };
  const identity = { cert, key, ca: clientCa, requestCert: true, rejectUnauthorized: false } as const;
  const tls = { ...identity, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersMs } as const;
  const server = createSecureServer(
    {
      ...tls,
      allowHTTP1: true,
      settings: { maxConcurrentStreams: API_SERVER_LIMITS.streams },
      ...timeoutOptions(limits),
    },
    guardConnection('API server', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      cutSlowBody(request, limits.requestMs);
      // A client that disconnects is not an internal error.
      request.on('error', () => undefined);
      response.on('error', () => undefined);
      return answer(handler, request, response);
    }),
  );
  server.on(
    'upgrade',
    guardConnection('API server', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      return handle(handler, request, upgradeResponse(request, socket, head));
    }),
  );
  connections.follow(server);
  server.on(
    'session',
    guardConnection('API server', (session) => closeWhenIdle('API server', session, limits.idleMs)),
  );
  answerPlainHttp(server);
  await listen(server, port, host);
  const bound = boundPort(server.address());
  address = `${host}:${bound}`;
  return {
    host,
    port: bound,
    url: `https://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    accept: (socket) => void server.emit('connection', socket),
    close: () => connections.close(server),
  };
}

const PLAIN_HTTP_ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** A client that uses http instead of https gets an explaining response. */
function answerPlainHttp(server: Http2SecureServer): void {
  const pending = new Map<number, Socket>();
  server.on(
    'connection',
    guardConnection('API server', (socket: Socket) => {
      const { remotePort } = socket;
      // Connections of pods come through a Unix socket and have no port that identifies them.
      if (remotePort === undefined) return;
      pending.set(remotePort, socket);
      socket.on('close', () => pending.delete(remotePort));
    }),
  );
  server.on(
    'tlsClientError',
    guardConnection('API server', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ERR_SSL_HTTP_REQUEST') pending.get(socket.remotePort ?? 0)?.end(PLAIN_HTTP_ANSWER);
    }),
  );
}

function listen(server: Http2SecureServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      // A connection that could not be accepted does not end the server.
      server.off('error', reject).on('error', () => undefined);
      resolve();
    });
  });
}

function boundPort(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Knows every open connection, since closing a server alone waits for clients that stay. */
class Connections {
  readonly #sessions = new Set<Http2Session>();
  readonly #sockets = new Set<Socket>();

  follow(server: Http2SecureServer): void {
    server.on(
      'session',
      guardConnection('API server', (session) => {
        this.#sessions.add(session);
        session.on('error', () => undefined);
        session.on('close', () => this.#sessions.delete(session));
      }),
    );
    server.on(
      'secureConnection',
      guardConnection('API server', (socket) => {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.#sockets.delete(socket));
      }),
    );
  }

  async close(server: Http2SecureServer): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    const timer = setTimeout(
      guard('API server', undefined, () => this.#destroyAll()),
      GRACE_MS,
    );
    timer.unref();
    if (this.#sessions.size === 0) this.#destroyAll();
    await closed;
    clearTimeout(timer);
  }

  #destroyAll(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}

const GRACE_MS = 200;
