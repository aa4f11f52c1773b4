import { guard as guardCallback } from '@manta/base';
import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { TransportError } from '../api-error.ts';
import type { Credentials } from './connection.ts';
import type { TransportRequest } from './transport.ts';
import { AttemptError } from './attempt-error.ts';
import type { Call } from './call.ts';
import { type ExchangeResponse, plainHeaders } from './exchange.ts';
import { openSocket, type SocketOptions } from './open-socket.ts';
import { isReplayable, knownSize, writeBody } from './request-body.ts';
import { StreamBody } from './stream-body.ts';

// Importing `node:http` as a module would load the whole of undici through its lazy exports: 17 MB for nothing.
const http = process.getBuiltinModule('node:http');

/** Watches hold a connection each, so this is a guard against a leak rather than a tuning knob. */
const MAX_SOCKETS = 256;
const MAX_IDLE_SOCKETS = 16;

/** Keep-alive connections to a server without HTTP/2, or without TLS. */
export class Http1Pool {
  readonly #options: SocketOptions;
  /** Connected while HTTP/2 was still hoped for; used before a new one is opened. */
  #spare: Socket | undefined;
  #agent: Agent | undefined;
  #credentials: Credentials | undefined;

  constructor(options: SocketOptions, spare?: Socket) {
    this.#options = options;
    this.#spare = spare;
    spare?.on('close', () => {
      this.#spare = undefined;
    });
    spare?.on('error', () => undefined);
  }

  exchange(headers: OutgoingHttpHeaders, credentials: Credentials, call: Call): Promise<ExchangeResponse> {
    return new Promise((resolve, reject) => {
      const { request, guard } = call;
      const outgoing = http.request({
        agent: this.#agentFor(credentials),
        method: request.method,
        path: call.name.path,
        headers: withLength(headers, request.body),
        setHost: false,
      });
      let body: StreamBody | undefined;
      const stop = (reason: unknown) => {
        body?.fail(reason);
        outgoing.destroy();
        reject(reason);
      };
      outgoing.on(
        'response',
        guardCallback('connection to the API server', reject, (message) => {
          body = bodyOf(outgoing, message, call);
          resolve({ status: message.statusCode ?? 0, headers: plainHeaders(message.headers), body });
        }),
      );
      outgoing.on(
        'error',
        guardCallback('connection to the API server', outgoing, (error: Error) => reject(lost(error, call))),
      );
      guard.whenStopped(stop);
      writeBody(outgoing, request.body, stop);
    });
  }

  close(): void {
    this.#spare?.destroy();
    this.#agent?.destroy();
  }

  #agentFor(credentials: Credentials): Agent {
    const known = this.#credentials;
    const isSame = known?.cert === credentials.cert && known?.key === credentials.key;
    if (this.#agent !== undefined && isSame) return this.#agent;
    this.#retire(this.#agent);
    const agent = new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_IDLE_SOCKETS });
    const connect = callbackify(() => this.#connect(credentials));
    agent.createConnection = (_options, callback) => {
      if (callback !== undefined) connect(callback);
      return undefined;
    };
    this.#agent = agent;
    this.#credentials = credentials;
    return agent;
  }

  /** Connections made under other credentials serve what they are busy with, then close. */
  #retire(agent: Agent | undefined): void {
    if (agent === undefined) return;
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    this.#spare?.destroy();
  }

  async #connect(credentials: Credentials): Promise<Socket> {
    const spare = this.#spare;
    if (spare !== undefined && !spare.destroyed) {
      this.#spare = undefined;
      return spare;
    }
    return (await openSocket(this.#options, credentials, ['http/1.1'])).socket;
  }
}

/** Node announces no length for a DELETE, and then sends no body either. */
function withLength(headers: OutgoingHttpHeaders, body: TransportRequest['body']): OutgoingHttpHeaders {
  if (body === undefined) return headers;
  return isReplayable(body) ? { ...headers, 'content-length': knownSize(body) } : headers;
}

function bodyOf(outgoing: ClientRequest, message: IncomingMessage, call: Call): StreamBody {
  // The same failure is reported by the request; without a listener here it would end the process.
  message.on('error', () => undefined);
  const { name, host } = call;
  return new StreamBody({
    stream: message,
    incompleteBecause: (received) => {
      if (message.complete) return undefined;
      const text = `${host} broke off in the middle of its answer (after ${received} bytes) to ${name.method} ${name.path}`;
      return new AttemptError(text, 'if-idempotent', { cause: message.errored, call: name });
    },
    cancel: () => outgoing.destroy(),
    settled: (received) => call.bodySettled(received),
  });
}

function lost(error: Error, { name, host }: Call): Error {
  if (error instanceof TransportError) return error;
  const text = `${host} broke off before it answered to ${name.method} ${name.path}: ${error.message}`;
  return new AttemptError(text, 'if-idempotent', { cause: error, call: name });
}
