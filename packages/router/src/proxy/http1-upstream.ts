import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@manta/kube';
import type { Attempt, AttemptLimits, Outgoing } from './call.ts';
import { type Dial, DialingAgent } from './dial.ts';
import { headerOf } from './headers.ts';

/** The connections to one endpoint that speaks HTTP/1.1. */
export interface Http1Upstream {
  /** Sends a request; `report` is called once unless the returned function breaks the attempt off before. */
  send(outgoing: Outgoing, limits: AttemptLimits, report: (attempt: Attempt) => void): () => void;
  /** Ends connections as soon as they have nothing to do. */
  drain(): void;
}

/** Idle connections are closed before the server does so: one that closes just as a request is sent loses that request. */
const IDLE_MS = 2_000;
const MAX_IDLE = 256;

export function createHttp1Upstream(host: string, port: number, clock: Clock, dial?: Dial): Http1Upstream {
  const keeping = { keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS, scheduling: 'lifo' } as const;
  const agent = dial === undefined ? new Agent(keeping) : new DialingAgent(dial, keeping);
  const dropIdle = () => {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  };
  return {
    send(outgoing, limits, report) {
      const request = httpRequest({
        agent,
        host,
        port,
        method: outgoing.method,
        path: outgoing.target,
        headers: framed(outgoing),
      });
      const attempt = new Http1Attempt(request, outgoing, limits, clock, (how) => {
        // Where one idle connection turned out to be dead, the others are no better.
        if (how.kind === 'broken' && how.wasReused) dropIdle();
        report(how);
      });
      // Whoever dials takes time before there is a socket at all.
      if (dial !== undefined) attempt.limitConnecting();
      return attempt.cancel;
    },
    drain() {
      agent.maxFreeSockets = 0;
      dropIdle();
    },
  };
}

/** The headers with Host, and with the length of the body or the word that it comes in chunks. */
function framed({ headers, host, hasBody, method }: Outgoing): string[] {
  const all = ['host', host, ...headers];
  if (headerOf(headers, 'content-length') !== undefined) return all;
  if (hasBody) all.push('transfer-encoding', 'chunked');
  else if (method === 'POST' || method === 'PUT' || method === 'PATCH') all.push('content-length', '0');
  return all;
}

/** One request until its answer begins. Nothing is read of the body before there is a connection, so that it can go elsewhere. */
class Http1Attempt {
  readonly #request: ClientRequest;
  readonly #outgoing: Outgoing;
  readonly #limits: AttemptLimits;
  readonly #clock: Clock;
  #report: ((attempt: Attempt) => void) | undefined;
  #isSent = false;
  #cancelTimer: (() => void) | undefined;

  constructor(
    request: ClientRequest,
    outgoing: Outgoing,
    limits: AttemptLimits,
    clock: Clock,
    report: (attempt: Attempt) => void,
  ) {
    this.#request = request;
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#clock = clock;
    this.#report = report;
    request.once('socket', (socket) => this.#onSocket(socket));
    request.once('response', (response) => {
      this.#settle({
        kind: 'reply',
        reply: {
          status: response.statusCode ?? 502,
          headers: response.rawHeaders,
          isComplete: false,
          body: response,
          trailers: () => response.rawTrailers,
        },
      });
    });
    const failed = (why: string) => {
      if (this.#isSent) this.#settle({ kind: 'broken', why, wasReused: request.reusedSocket });
      else this.#settle({ kind: 'unreached', why });
    };
    request.on('error', ({ message }) => failed(message));
    request.once('close', () => failed('the connection was closed'));
  }

  readonly cancel = (): void => {
    this.#cancelTimer?.();
    this.#report = undefined;
    this.#outgoing.body.unpipe(this.#request);
    this.#request.destroy();
  };

  #onSocket(socket: Socket): void {
    this.#cancelTimer?.();
    if (!socket.connecting) {
      this.#send();
      return;
    }
    this.limitConnecting();
    socket.once('connect', () => {
      this.#cancelTimer?.();
      this.#send();
    });
  }

  /** Breaks the attempt off where there is no connection in time. */
  limitConnecting(): void {
    const { connectMs } = this.#limits;
    this.#cancelTimer = this.#clock.setTimer(connectMs, () => {
      this.#settle({ kind: 'unreached', why: `no connection within ${connectMs} ms` });
      this.#request.destroy();
    });
  }

  #send(): void {
    if (this.#report === undefined) return;
    this.#isSent = true;
    const { answerMs } = this.#limits;
    if (answerMs !== undefined) {
      this.#cancelTimer = this.#clock.setTimer(answerMs, () => {
        this.#settle({ kind: 'late' });
        this.#request.destroy();
      });
    }
    const { body, hasBody } = this.#outgoing;
    if (hasBody) body.pipe(this.#request);
    else this.#request.end();
  }

  #settle(attempt: Attempt): void {
    this.#cancelTimer?.();
    const report = this.#report;
    this.#report = undefined;
    report?.(attempt);
  }
}
