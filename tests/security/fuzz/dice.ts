import { seededRandom } from '../../../packages/runtime/src/testing/seeded-random.ts';

/** Random choices that a seed decides. */
export interface Dice {
  /** A whole number from 0 up to, but not including, `sides`. */
  roll(sides: number): number;
  /** Whether something happens whose probability is one in `times`. */
  oneIn(times: number): boolean;
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Buffer;
}

export function createDice(seed: number): Dice {
  const random = seededRandom(seed);
  const roll = (sides: number) => Math.floor(random() * sides);
  return {
    roll,
    oneIn: (times) => roll(times) === 0,
    pick: (items) => {
      const item = items[roll(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => roll(256))),
  };
}
