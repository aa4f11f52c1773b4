import { randomBytes } from 'node:crypto';
import type { Clock } from '@manta/kube';

/** What a login at a provider was begun with, and must end with. */
export interface PendingLogin {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

const LIFETIME_MS = 10 * 60_000;
/** Anybody may begin a login: the oldest is forgotten first. */
const MAX_PENDING = 1000;

/** Logins that were begun and not yet completed, by the id in the browser's cookie. Each is completed once at most. */
export class PendingLogins {
  readonly #clock: Clock;
  readonly #logins = new Map<string, PendingLogin & { readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(login: PendingLogin): string {
    const id = randomBytes(32).toString('base64url');
    this.#logins.set(id, { ...login, at: this.#clock.now() });
    const [oldest] = this.#logins.keys();
    if (this.#logins.size > MAX_PENDING && oldest !== undefined) this.#logins.delete(oldest);
    return id;
  }

  take(id: string | undefined): PendingLogin | undefined {
    const login = this.#logins.get(id ?? '');
    this.#logins.delete(id ?? '');
    return login !== undefined && Math.abs(this.#clock.now() - login.at) < LIFETIME_MS ? login : undefined;
  }
}
