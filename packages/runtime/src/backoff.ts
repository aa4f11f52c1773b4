import type { Clock } from '@manta/kube';

/** A delay that grows by `factor` with each failure, up to `maxMs`. */
export interface Backoff {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

/** The delay after `failures` earlier failures: `initialMs` for 0. */
export function backoffDelay(backoff: Backoff, failures: number): number {
  return Math.min(backoff.maxMs, backoff.initialMs * backoff.factor ** failures);
}

/** Stretches a delay by up to its own length, so that many clients that failed together do not come back together. */
export function withJitter(delayMs: number, random: () => number): number {
  return delayMs * (1 + random());
}

/** How many operations may happen: `perSecond` in the long run, `burst` at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Hands out turns at a {@link Rate}; a turn that lies in the future is still handed out, with the wait it costs. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  /** Negative when turns in the future are taken. */
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAt = clock.now();
  }

  /** Takes the next turn and says how many milliseconds to wait for it. */
  reserve(): number {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#filledAt) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + earned) - 1;
    this.#filledAt = now;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / this.#rate.perSecond) * 1000);
  }
}
