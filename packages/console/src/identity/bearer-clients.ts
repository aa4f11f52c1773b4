import { createHash } from 'node:crypto';
import type { Clock, Connection } from '@manta/kube';
import { openViewerAccess, type ViewerAccess, whoAmI } from './viewer.ts';

/**
 * Programs that send a bearer token with each request keep a connection between requests; the least recently used one is closed first,
 * and one whose token was never accepted before all others: callers with invented tokens cannot end the requests of real ones.
 */
const MAX_CLIENTS = 100;

export class BearerClients {
  readonly #server: Connection;
  readonly #clock: Clock;
  /** By the hash of the token, so that a heap dump shows no more tokens than necessary; the most recently used last. */
  readonly #clients = new Map<string, ViewerAccess>();
  readonly #accepted = new Set<string>();
  readonly #names = new WeakMap<ViewerAccess, Promise<string>>();

  constructor(server: Connection, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  of(token: string): ViewerAccess {
    const key = keyOf(token);
    const access =
      this.#clients.get(key) ??
      openViewerAccess(this.#server, { headers: { authorization: `Bearer ${token}` } }, this.#clock);
    this.#clients.delete(key);
    this.#clients.set(key, access);
    if (this.#clients.size > MAX_CLIENTS) this.#closeOne(key);
    return access;
  }

  /** Called when the API server has accepted the token. */
  accept(token: string): void {
    const key = keyOf(token);
    if (this.#clients.has(key)) this.#accepted.add(key);
  }

  /** Called when it has not. */
  reject(token: string): void {
    this.#close(keyOf(token));
  }

  /** Whom the API server knows by the token; for audit lines. */
  async nameOf(token: string): Promise<string> {
    const key = keyOf(token);
    const access = this.#clients.get(key);
    if (access === undefined) return 'unknown';
    const known = this.#names.get(access) ?? whoAmI(access.client).then(({ user }) => user);
    this.#names.set(access, known);
    return await known.catch(() => 'unknown');
  }

  closeAll(): void {
    for (const key of this.#clients.keys()) this.#close(key);
  }

  #closeOne(current: string): void {
    const keys = [...this.#clients.keys()].filter((key) => key !== current);
    const oldest = keys.find((key) => !this.#accepted.has(key)) ?? keys[0];
    if (oldest !== undefined) this.#close(oldest);
  }

  #close(key: string): void {
    const access = this.#clients.get(key);
    this.#clients.delete(key);
    this.#accepted.delete(key);
    void access?.transport.close();
  }
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
