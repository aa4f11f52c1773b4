import { createServer, type RequestListener, type Server } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import { createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import type { Address, Backend, RouteRule, RouteTable } from '../proxy/route-table.ts';

/** A server of a test on a loopback port. */
export interface TestBackend {
  readonly address: Address;
  readonly port: number;
  /** Stops listening and cuts what is open. */
  stop(): Promise<void>;
}

/** Answers HTTP/1.1; `port` 0 is any. */
export async function startBackend(
  handle: RequestListener,
  port = 0,
  prepare?: (server: Server) => void,
): Promise<TestBackend> {
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  prepare?.(server);
  const bound = await listening(server, port);
  return {
    address: { host: '127.0.0.1', port: bound, protocol: 'auto' },
    port: bound,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers HTTP/2 without TLS. */
export async function startHttp2Backend(
  handle: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Promise<TestBackend> {
  const server = createHttp2Server();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    handle(stream, headers);
  });
  const port = await listening(server, 0);
  return {
    address: { host: '127.0.0.1', port, protocol: 'http2' },
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

/** Takes connections and leaves every byte to the test. */
export async function startTcpBackend(handle: (socket: Socket) => void): Promise<TestBackend> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    handle(socket);
  });
  const port = await listening(server, 0);
  return {
    address: { host: '127.0.0.1', port, protocol: 'auto' },
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A table with one rule for everything. */
export function tableOf(backends: readonly Backend[], rule: Partial<RouteRule> = {}): RouteTable {
  const whole: RouteRule = { key: 'default/route/0', createdAt: 0, matches: [], filters: [], backends, ...rule };
  return { gateways: [{ ownHosts: ['gateway.default'], hosts: [{ hostname: undefined, rules: [whole] }] }] };
}

/** A backend with these endpoints. */
export function backendOf(
  key: string,
  weight: number,
  ...endpoints: readonly { readonly address: Address }[]
): Backend {
  return { key, weight, endpoints: endpoints.map(({ address }) => address) };
}

function listening(server: Server | Http2Server | TcpServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
    });
  });
}
