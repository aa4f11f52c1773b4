import { guard } from '@manta/base';
import { Agent, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A connection that has idled this long is more likely to be closed by the other side than to be used again. */
const IDLE_MS = 30_000;

/** Keeps connections for the next question, but no more than a bound over all heads; the others are closed after each answer. */
export class KeepingAgent extends Agent {
  readonly #maxIdle: number;
  readonly #idle = new Set<Duplex>();
  readonly #watched = new WeakSet<Duplex>();

  constructor(maxIdle: number) {
    super({ keepAlive: true, scheduling: 'lifo' });
    this.#maxIdle = maxIdle;
    this.on(
      'free',
      guard('call to a Ray head', undefined, (socket: Socket) => socket.setTimeout(IDLE_MS)),
    );
  }

  /** Node asks this of each connection that is done with a request; `false` closes it. */
  override keepSocketAlive(socket: Duplex): boolean {
    if (this.#idle.size >= this.#maxIdle) return false;
    const isKept: unknown = super.keepSocketAlive(socket);
    if (isKept === false) return false;
    this.#idle.add(socket);
    this.#watchEnd(socket);
    return true;
  }

  /** Once per connection, however often it is kept. */
  #watchEnd(socket: Duplex): void {
    if (this.#watched.has(socket)) return;
    this.#watched.add(socket);
    socket.once('close', () => this.#idle.delete(socket));
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#idle.delete(socket);
    super.reuseSocket(socket, request);
  }
}
