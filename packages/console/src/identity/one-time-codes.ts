import { randomBytes } from 'node:crypto';
import type { Clock } from '@manta/kube';

/** Codes of one-time URLs, for `manta up`: whoever started the engine opens the console without a login. Each code works once. */
export class OneTimeCodes {
  readonly #clock: Clock;
  readonly lifetimeMs: number;
  readonly #codes = new Map<string, number>();

  constructor(clock: Clock, lifetimeMs = 24 * 3_600_000) {
    this.#clock = clock;
    this.lifetimeMs = lifetimeMs;
  }

  issue(): string {
    const now = this.#clock.now();
    for (const [code, expiresAtMs] of this.#codes) if (expiresAtMs <= now) this.#codes.delete(code);
    const code = randomBytes(32).toString('base64url');
    this.#codes.set(code, now + this.lifetimeMs);
    return code;
  }

  /** Whether the code was valid; it no longer is afterwards. */
  redeem(code: string): boolean {
    const expiresAtMs = this.#codes.get(code);
    this.#codes.delete(code);
    return expiresAtMs !== undefined && expiresAtMs > this.#clock.now();
  }
}
