import { seededRandom } from '@manta/runtime/testing';

/**
 * Everything that a run leaves to chance, as one sequence of small numbers. 0 is always the plainest answer (no fault, the oldest
 * message first, no delay), so that a sequence shrinks by putting zeros into it and by cutting it off: past its end it is all zeros.
 */
export interface Choices {
  /** A number from 0 to `count - 1`. */
  pick(count: number): number;
  /** True this often. */
  chance(share: number): boolean;
  /** What was chosen so far. */
  readonly trace: readonly number[];
}

/** Choices drawn from a seed; the same seed makes the same ones. */
export function seededChoices(seed: number): Choices {
  const random = seededRandom(seed);
  return recorded((count, share) => (share === undefined ? Math.floor(random() * count) : Number(random() < share)));
}

/** Choices as they were made before. */
export function replayedChoices(trace: readonly number[]): Choices {
  let next = 0;
  return recorded((count) => Math.min(trace[next++] ?? 0, count - 1));
}

function recorded(draw: (count: number, share?: number) => number): Choices {
  const trace: number[] = [];
  const note = (value: number) => {
    trace.push(value);
    return value;
  };
  return {
    trace,
    pick: (count) => (count <= 1 ? 0 : note(draw(count))),
    chance: (share) => note(draw(2, share)) === 1,
  };
}
