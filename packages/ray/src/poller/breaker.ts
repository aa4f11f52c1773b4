import type { RayCallError } from '../call-error.ts';

/** A head that could not be reached, since when, and until when it is left alone. */
export interface Outage {
  readonly error: RayCallError;
  /** When the first and the last call that missed it were sent. */
  readonly since: number;
  readonly at: number;
  readonly until: number;
}

/** Whether an error says that the head itself is away, rather than that it did not like the question. */
export function isHeadAway(error: RayCallError): boolean {
  if (error.failure === 'unreachable' || error.failure === 'timeout') return true;
  return error.status === 502 || error.status === 503 || error.status === 504;
}

/** A single call may miss a head that is well. */
const MISSES_UNTIL_OPEN = 2;
const FIRST_PAUSE_MS = 1_000;

/**
 * Knows whether a head answers. After two misses in a row it is left alone for a while, each time longer; then one call tries it again
 * on behalf of all.
 */
export class Breaker {
  #misses = 0;
  #firstMissAt = 0;
  #outage: Outage | undefined;
  #isProven = false;

  /** The head answered the last call. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Set while the head is left alone, and until it has answered again. */
  get outage(): Outage | undefined {
    return this.#outage;
  }

  /** For how long the head is left alone; 0 or less: it may be tried. No pause is twice the longest: then the clock was set back. */
  msLeft(now: number, { maxPauseMs }: Pick<PauseRule, 'maxPauseMs'>): number {
    const left = (this.#outage?.until ?? 0) - now;
    return left > 2 * Math.max(FIRST_PAUSE_MS, maxPauseMs) ? 0 : left;
  }

  /** The head answered. */
  reached(): void {
    this.#misses = 0;
    this.#outage = undefined;
    this.#isProven = true;
  }

  /** A call that was sent at `at` missed the head. */
  missed(error: RayCallError, at: number, now: number, rule: PauseRule): void {
    if (this.#misses === 0) this.#firstMissAt = at;
    this.#misses += 1;
    this.#isProven = false;
    if (this.#misses < MISSES_UNTIL_OPEN) return;
    const row = this.#misses - MISSES_UNTIL_OPEN + 1;
    this.#outage = { error, at, since: this.#firstMissAt, until: now + pauseAfter(rule, FIRST_PAUSE_MS, row) };
  }
}

/** How pauses grow. */
export interface PauseRule {
  readonly maxPauseMs: number;
  readonly random: () => number;
}

/** The pause after the `failures`th failure in a row: the beat at first, then twice as long each time up to the bound, give or take a quarter. */
export function pauseAfter({ maxPauseMs, random }: PauseRule, everyMs: number, failures: number): number {
  const grown = everyMs * 2 ** Math.min(failures - 1, 20);
  return Math.max(everyMs, Math.min(maxPauseMs, grown)) * (0.75 + 0.5 * random());
}
