import { createHash } from 'node:crypto';
import type { Clock, Connection } from '@manta/kube';
import { openViewerAccess, type ViewerAccess } from './viewer.ts';

/** Programs that send a bearer token with each request keep a connection between requests; the least recently used one is closed first. */
const MAX_CLIENTS = 100;

export class BearerClients {
  readonly #server: Connection;
  readonly #clock: Clock;
  /** By the hash of the token, so that a heap dump shows no more tokens than necessary; the most recently used last. */
  readonly #clients = new Map<string, ViewerAccess>();

  constructor(server: Connection, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  of(token: string): ViewerAccess {
    const key = createHash('sha256').update(token).digest('base64');
    const access =
      this.#clients.get(key) ??
      openViewerAccess(this.#server, { headers: { authorization: `Bearer ${token}` } }, this.#clock);
    this.#clients.delete(key);
    this.#clients.set(key, access);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined) this.#close(oldest);
    return access;
  }

  closeAll(): void {
    for (const key of this.#clients.keys()) this.#close(key);
  }

  #close(key: string): void {
    const access = this.#clients.get(key);
    this.#clients.delete(key);
    void access?.transport.close();
  }
}
