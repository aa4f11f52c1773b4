import type { Clock } from '../clock.ts';

/** As client-go has it: `qps` on average, up to `burst` at once. */
export interface RateLimit {
  readonly qps: number;
  readonly burst: number;
}

/** A token bucket: full at first, filled at `qps`, never above `burst`. Takers queue in the order of their calls. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  #tokens: number;
  #countedAtMs: number;

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#countedAtMs = clock.now();
  }

  /** Takes a token and says how long to wait until it is there; 0 when it is there now. */
  reserve(): number {
    const now = this.#clock.now();
    const { qps, burst } = this.#limit;
    const gained = (Math.max(0, now - this.#countedAtMs) * qps) / 1000;
    this.#tokens = Math.min(burst, this.#tokens + gained) - 1;
    this.#countedAtMs = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / qps;
  }

  /** Gives a token back that was reserved and then not needed. */
  cancel(): void {
    this.#tokens += 1;
  }
}
