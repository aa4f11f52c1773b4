import { randomBytes } from 'node:crypto';
import type { Clock } from '@manta/kube';
import { isSameSecret } from './same-secret.ts';
import type { Viewer, ViewerAccess } from './viewer.ts';

/** A logged-in browser. It lives in this process only: a restart of the console asks everyone to log in again. */
export interface ViewerSession {
  /** In the cookie. */
  readonly id: string;
  /**
   * Kept by the page and sent with each request. Browsers send a cookie to every port of a host, so that a Ray dashboard behind another
   * port learns the id; what a page stores belongs to its own port.
   */
  readonly key: string;
  readonly viewer: Viewer;
  readonly access: ViewerAccess;
  readonly expiresAtMs: number;
  /** Aborted at the end of the session: streams and requests of this session end with it. */
  readonly ended: AbortSignal;
}

export interface SessionLimits {
  readonly maxSessions: number;
  readonly maxPerUser: number;
  readonly lifetimeMs: number;
}

export const SESSION_LIMITS: SessionLimits = { maxSessions: 2000, maxPerUser: 20, lifetimeMs: 12 * 3_600_000 };

interface Entry {
  readonly session: ViewerSession;
  readonly abort: AbortController;
  readonly cancelTimer: () => void;
}

/** All sessions. Ids have 256 random bits and are looked up as a whole, so that guessing one is hopeless. */
export class Sessions {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock, limits: SessionLimits = SESSION_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Starts a session. A user's oldest session ends when that user has too many; a full table refuses new ones. */
  start(viewer: Viewer, access: ViewerAccess, expiresAtMs = Number.POSITIVE_INFINITY): ViewerSession {
    this.#endExpired();
    const own = [...this.#entries.values()].filter(({ session }) => session.viewer.user === viewer.user);
    const oldest = own[0];
    if (own.length >= this.#limits.maxPerUser && oldest !== undefined) this.end(oldest.session.id);
    if (this.#entries.size >= this.#limits.maxSessions)
      throw new Error(
        `the console has ${this.#limits.maxSessions} sessions, its limit: log out elsewhere or try later`,
      );
    const abort = new AbortController();
    const session: ViewerSession = {
      id: randomBytes(32).toString('base64url'),
      key: randomBytes(32).toString('base64url'),
      viewer,
      access,
      expiresAtMs: Math.min(expiresAtMs, this.#clock.now() + this.#limits.lifetimeMs),
      ended: abort.signal,
    };
    // Streams that are open then must end though nobody asks for a session.
    const leftMs = Math.max(0, session.expiresAtMs - this.#clock.now());
    const cancelTimer = this.#clock.setTimer(leftMs, () => this.end(session.id, 'the session has expired'));
    this.#entries.set(session.id, { session, abort, cancelTimer });
    return session;
  }

  /** The session with this id, for those who know its key as well. */
  find(id: string | undefined, key: string | undefined): ViewerSession | undefined {
    if (id === undefined || key === undefined) return undefined;
    this.#endExpired();
    const session = this.#entries.get(id)?.session;
    return session !== undefined && isSameSecret(key, session.key) ? session : undefined;
  }

  end(id: string, reason = 'the session has ended'): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    entry.cancelTimer();
    entry.abort.abort(new Error(reason));
    void entry.session.access.transport.close();
  }

  endAll(): void {
    for (const id of this.#entries.keys()) this.end(id, 'the console is shutting down');
  }

  get size(): number {
    return this.#entries.size;
  }

  #endExpired(): void {
    const now = this.#clock.now();
    for (const { session } of this.#entries.values()) {
      if (session.expiresAtMs <= now) this.end(session.id, 'the session has expired');
    }
  }
}
