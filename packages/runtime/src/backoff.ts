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
