import type { Pod } from '@manta/api';
import type { Stored } from '../framework/cluster.ts';
import { finishedAt } from './tracked-pods.ts';

const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 600_000;

/** How many pods of a job failed since one last succeeded, and when the last of them did. */
export interface PodFailures {
  readonly count: number;
  readonly lastMs: number;
}

export const NO_FAILURES: PodFailures = { count: 0, lastMs: 0 };

/** Takes pods that ended into account, in the order in which they ended. */
export function countFailures(
  before: PodFailures,
  succeeded: readonly Stored<Pod>[],
  failed: readonly Stored<Pod>[],
): PodFailures {
  const ends = [
    ...succeeded.map((pod) => ({ isFailure: false, atMs: finishedAt(pod) })),
    ...failed.map((pod) => ({ isFailure: true, atMs: finishedAt(pod) })),
  ].toSorted((a, b) => a.atMs - b.atMs);
  return ends.reduce(
    (failures, { isFailure, atMs }) => (isFailure ? { count: failures.count + 1, lastMs: atMs } : NO_FAILURES),
    before,
  );
}

/** How long the next pod has to wait: ten seconds after the first failure, twice as long after each further one, ten minutes at most. */
export function remainingDelay({ count, lastMs }: PodFailures, nowMs: number): number {
  if (count === 0) return 0;
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (count - 1), LONGEST_DELAY_MS);
  return Math.max(0, lastMs + delay - nowMs);
}
