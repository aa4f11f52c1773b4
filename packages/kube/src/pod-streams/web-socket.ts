import { API_CLIENT_LIMITS, guard } from '@manta/base';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { type FailedCall, TransportError } from '../api-error.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Connection, Credentials } from '../transport/connection.ts';
import { openSocket } from '../transport/open-socket.ts';
import { failedResponse } from './failed-response.ts';

export interface WebSocketRequest {
  readonly connection: Connection;
  /** Path with query, below the server's own path. */
  readonly path: string;
  /** Offered in this order; the server picks one. */
  readonly protocols: readonly string[];
  /** Ends the attempt. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

const CONNECT_TIMEOUT_MS = 30_000;
const MAX_ERROR_BODY = API_CLIENT_LIMITS.errorCharacters;

/**
 * Opens a WebSocket with the connection's TLS, credentials and proxy; a 401 is tried once more with fresh credentials. `prepare` is
 * called before the first message can arrive. Rejects with `ApiError` when the server refuses, `TransportError` when it is not reached.
 */
export async function openWebSocket(
  request: WebSocketRequest,
  prepare: (socket: WebSocket) => void,
): Promise<WebSocket> {
  const first = await request.connection.credentials();
  try {
    return await attempt(request, first, prepare);
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    request.connection.invalidateCredentials(first);
    return attempt(request, await request.connection.credentials(), prepare);
  }
}

async function attempt(
  request: WebSocketRequest,
  credentials: Credentials,
  prepare: (socket: WebSocket) => void,
): Promise<WebSocket> {
  const { connection, signal } = request;
  signal?.throwIfAborted();
  const options = { connection, clock: request.clock ?? systemClock, connectTimeoutMs: CONNECT_TIMEOUT_MS };
  const { socket } = await openSocket(options, credentials, ['http/1.1']);
  if (signal?.aborted) {
    socket.destroy();
    throw signal.reason;
  }
  return handshake(request, credentials, socket, prepare);
}

/** The library is loaded only where a stream is opened: the operator itself never needs it. */
async function handshake(
  request: WebSocketRequest,
  credentials: Credentials,
  socket: Socket,
  prepare: (socket: WebSocket) => void,
): Promise<WebSocket> {
  const { WebSocket } = await import('ws');
  const call = { method: 'GET', path: request.path };
  const client = new WebSocket(addressOf(request), [...request.protocols], {
    finishRequest: (upgrade) => {
      for (const [name, value] of Object.entries(credentials.headers)) upgrade.setHeader(name, value);
      upgrade.end();
    },
    createConnection: () => socket,
    perMessageDeflate: false,
    handshakeTimeout: CONNECT_TIMEOUT_MS,
  });
  client.binaryType = 'nodebuffer';
  prepare(client);
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(request.signal?.reason);
      client.terminate();
    };
    const settle = (finish: () => void) => {
      request.signal?.removeEventListener('abort', onAbort);
      finish();
    };
    request.signal?.addEventListener('abort', onAbort, { once: true });
    client.once(
      'open',
      guard(
        'stream of the API server',
        () => client.terminate(),
        () => settle(() => resolve(client)),
      ),
    );
    client.once(
      'error',
      guard(
        'stream of the API server',
        () => client.terminate(),
        (cause) => settle(() => reject(handshakeError(call, request, cause))),
      ),
    );
    client.once(
      'unexpected-response',
      guard(
        'stream of the API server',
        () => client.terminate(),
        (_, answer) => {
          const refuse = (body: string) => {
            settle(() => reject(failedResponse(call, answer.statusCode ?? 0, body)));
            client.terminate();
          };
          void readText(answer).then(refuse, () => refuse(''));
        },
      ),
    );
  });
}

function addressOf(request: WebSocketRequest): URL {
  const { server } = request.connection;
  const scheme = server.protocol === 'https:' ? 'wss:' : 'ws:';
  return new URL(`${scheme}//${server.host}${server.pathname.replace(/\/$/, '')}${request.path}`);
}

function handshakeError(call: FailedCall, request: WebSocketRequest, cause: Error): TransportError {
  const message =
    cause.message === 'Server sent no subprotocol'
      ? `the server speaks none of ${request.protocols.join(', ')}; it is too old, or a proxy in between drops WebSocket headers`
      : `the WebSocket to ${request.connection.server.host} could not be opened: ${cause.message}`;
  return new TransportError(message, { cause, call });
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MAX_ERROR_BODY) break;
  }
  return text;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 401;
}
