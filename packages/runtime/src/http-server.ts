import { guard, guardConnection, type ListenerTimeouts } from '@manta/base';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { ListenAddress } from './listen-address.ts';
import { formatListenAddress } from './listen-address.ts';
import { limitOptions, SHORT_REQUESTS } from './listener-limits.ts';
import type { Logger } from './logger.ts';

export interface HttpRequest {
  /** Decoded path without the query, e.g. `/readyz/ping`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Plain text when absent. */
  readonly contentType?: string | undefined;
}

/** Answers a GET at once, from memory; undefined is a 404. */
export type HttpHandler = (request: HttpRequest) => HttpAnswer | undefined;

export interface HttpServerOptions {
  /** What it is, for messages: `metrics server`. */
  readonly name: string;
  readonly address: ListenAddress;
  /** The flag that chooses the address, named in the error when it cannot be used. */
  readonly flag: string;
  readonly handle: HttpHandler;
  readonly log: Logger;
  /** Default: `SHORT_REQUESTS`. */
  readonly limits?: ListenerTimeouts;
}

export interface RunningHttpServer {
  /** The port it got, which differs from the asked one where that was 0. */
  readonly port: number;
  /** Stops listening and cuts idle and running connections. */
  close(): Promise<void>;
}

/** Serves small GET answers (metrics, probes). Rejects with one readable line when the address cannot be had. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningHttpServer> {
  // Not an import: the namespace of node:http costs 17 MB of memory, the module itself 4.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer(
    limitOptions(options.limits ?? SHORT_REQUESTS),
    guardConnection('metrics and probes', (request: IncomingMessage, response: ServerResponse) => {
      const answer = answerTo(options, request.method ?? 'GET', request.url ?? '/');
      const body = Buffer.from(answer.body);
      response.writeHead(answer.status, {
        'content-type': answer.contentType ?? 'text/plain; charset=utf-8',
        'content-length': body.length,
        'x-content-type-options': 'nosniff',
        // No endpoint takes a body: the connection of a client that sends one is closed after the response.
        ...(hasBody(request.headers) ? { connection: 'close' } : {}),
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    }),
  );
  const { host, port } = options.address;
  await new Promise<void>((resolve, reject) => {
    server.once(
      'error',
      guard('metrics and probes', undefined, (error) =>
        reject(new Error(listenProblem(options, error), { cause: error })),
      ),
    );
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
  server.on(
    'error',
    guard('metrics and probes', undefined, (error) =>
      options.log.error('HTTP server has a problem', error, { server: options.name }),
    ),
  );
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function hasBody({ 'content-length': length = '0', 'transfer-encoding': encoding }: IncomingHttpHeaders): boolean {
  return length !== '0' || encoding !== undefined;
}

function answerTo(options: HttpServerOptions, method: string, target: string): HttpAnswer {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: 'only GET is served here\n' };
  const url = URL.parse(target, 'http://localhost');
  if (url === null) return { status: 400, body: 'the path cannot be read\n' };
  try {
    const request = { path: decodeURIComponent(url.pathname), query: url.searchParams };
    return options.handle(request) ?? { status: 404, body: '404 page not found\n' };
  } catch (error) {
    if (error instanceof URIError) return { status: 400, body: 'the path cannot be read\n' };
    options.log.error('Request failed', error, { server: options.name, path: url.pathname });
    return { status: 500, body: 'internal error; the log has the details\n' };
  }
}

function listenProblem({ name, address, flag }: HttpServerOptions, error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  const reason = LISTEN_REASONS[code] ?? error.message;
  return `the ${name} cannot listen on ${formatListenAddress(address)}: ${reason}; choose another address with ${flag}`;
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use',
  EACCES: 'ports below 1024 need more privileges',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name is not known',
};
