import type { RayCallError } from '../call-error.ts';
import type { Pace } from './pace.ts';

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

  /** For how long the head is left alone; 0 or less: it may be tried. No pause is longer than the longest: then the clock was set back. */
  msLeft(now: number, rule: Omit<PauseRule, 'random'>): number {
    const left = (this.#outage?.until ?? 0) - now;
    return left > longestPause(rule, FIRST_PAUSE_MS) ? 0 : left;
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
    this.#outage = { error, at, since: this.#firstMissAt, until: now + pauseAfter(rule, FIRST_PAUSE_MS, row, error) };
  }
}

/** How pauses grow. */
export interface PauseRule {
  readonly maxPauseMs: number;
  readonly random: () => number;
  /** Where very much fails, pauses are longer. */
  readonly pace: Pick<Pace, 'shortestPauseMs'>;
}

/** A head that takes its time to say nothing holds up others, so it is given more. */
const PATIENCE = 2;
const SPREAD = 0.25;

/** The pause after the `failures`th failure in a row: the beat at first, then twice as long each time up to the bound, or as long as there is room for, give or take a quarter. */
export function pauseAfter(rule: PauseRule, everyMs: number, failures: number, { failure }: RayCallError): number {
  const grown = everyMs * 2 ** Math.min(failures - 1, 20);
  const boundMs = rule.maxPauseMs * (failure === 'timeout' ? PATIENCE : 1);
  const shortestMs = Math.max(everyMs, rule.pace.shortestPauseMs);
  return Math.max(shortestMs, Math.min(boundMs, grown)) * (1 - SPREAD + 2 * SPREAD * rule.random());
}

/** What no pause is longer than, with this beat. */
export function longestPause({ maxPauseMs, pace }: Omit<PauseRule, 'random'>, everyMs: number): number {
  return Math.max(everyMs, pace.shortestPauseMs, PATIENCE * maxPauseMs) * (1 + SPREAD);
}
