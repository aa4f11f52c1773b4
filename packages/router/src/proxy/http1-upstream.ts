import { guard, messageOf } from '@manta/base';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { ROUTER_LIMITS } from '@manta/base';
import type { Clock } from '@manta/kube';
import type { Attempt, AttemptLimits, Outgoing } from './call.ts';
import type { Dial } from './dial.ts';
import { Http1Attempt } from './http1-attempt.ts';
import { KEEP_ALIVE_MS } from './keep-alive.ts';
import { type ConnectionKeeper, Http1Connection } from './http1-connection.ts';

/** The connections to one endpoint that speaks HTTP/1.1. */
export interface Http1Upstream {
  /** Sends a request; `report` is called once unless the returned function breaks the attempt off before. */
  send(outgoing: Outgoing, limits: AttemptLimits, report: (attempt: Attempt) => void): () => void;
  /** Ends connections as soon as they have nothing to do. */
  drain(): void;
}

/** Idle connections are closed before the server does so: one that closes just as a request is sent loses that request. */
const IDLE_MS = 2_000;
const MAX_IDLE = ROUTER_LIMITS.idleConnections;

export function createHttp1Upstream(host: string, port: number, clock: Clock, dial?: Dial): Http1Upstream {
  return new ConnectionPool(host, port, clock, dial);
}

class ConnectionPool implements Http1Upstream, ConnectionKeeper {
  readonly #host: string;
  readonly #port: number;
  readonly #clock: Clock;
  readonly #dial: Dial | undefined;
  /** The one that was used last is the last: it is the least likely to be gone. */
  #idle: Http1Connection[] = [];
  #isDraining = false;
  #isSweeping = false;

  constructor(host: string, port: number, clock: Clock, dial: Dial | undefined) {
    this.#host = host;
    this.#port = port;
    this.#clock = clock;
    this.#dial = dial;
  }

  send(outgoing: Outgoing, limits: AttemptLimits, report: (attempt: Attempt) => void): () => void {
    const attempt = new Http1Attempt(outgoing, limits, this.#clock, (how) => {
      // Where one idle connection turned out to be dead, the others are no better.
      if (how.kind === 'broken' && how.wasReused) this.#dropIdle();
      report(how);
    });
    const kept = this.#take();
    if (kept === undefined) this.#open(attempt);
    else attempt.sendOn(kept, true);
    return attempt.cancel;
  }

  drain(): void {
    this.#isDraining = true;
    this.#dropIdle();
  }

  idle(connection: Http1Connection): void {
    if (this.#isDraining || this.#idle.length >= MAX_IDLE) {
      connection.destroy();
      return;
    }
    connection.idleSince = this.#clock.now();
    this.#idle.push(connection);
    this.#sweepLater();
  }

  gone(connection: Http1Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #take(): Http1Connection | undefined {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (this.#isFresh(kept) && !kept.stream.destroyed) return kept;
      kept.destroy();
    }
    return undefined;
  }

  #isFresh({ idleSince }: Http1Connection): boolean {
    return this.#clock.now() - idleSince < IDLE_MS;
  }

  /** One timer for all of them. */
  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#clock.setTimer(IDLE_MS, () => {
      this.#isSweeping = false;
      const stale = this.#idle.filter((connection) => !this.#isFresh(connection));
      this.#idle = this.#idle.filter((connection) => this.#isFresh(connection));
      for (const connection of stale) connection.destroy();
      if (this.#idle.length > 0) this.#sweepLater();
    });
  }

  #dropIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  #open(attempt: Http1Attempt): void {
    const begin = (stream: Duplex) => attempt.sendOn(new Http1Connection(stream, this), false);
    if (this.#dial !== undefined) {
      attempt.waitForConnection(() => undefined);
      this.#dial(this.#host, this.#port).then(
        (stream) => (attempt.isOver ? void stream.destroy() : begin(stream)),
        (error: unknown) => attempt.lost(messageOf(error)),
      );
      return;
    }
    const socket = connect({
      host: this.#host,
      port: this.#port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    const failed = guard('router', socket, ({ message }: Error) => attempt.lost(message));
    attempt.waitForConnection(() => socket.destroy());
    socket.once('error', failed);
    socket.once(
      'connect',
      guard('router', socket, () => {
        begin(socket);
        socket.off('error', failed);
      }),
    );
  }
}
