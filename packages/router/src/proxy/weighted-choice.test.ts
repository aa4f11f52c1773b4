import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseByWeight } from './weighted-choice.ts';

const options = (weights: readonly number[]) => weights.map((weight, id) => ({ id, weight, credit: 0 }));
const weights = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 6 });

describe('chooseByWeight()', () => {
  it('spreads 75 to 25 evenly instead of in blocks', () => {
    const both = options([75, 25]);
    expect(Array.from({ length: 8 }, () => chooseByWeight(both)?.id)).toEqual([0, 0, 1, 0, 0, 0, 1, 0]);
  });

  it('gives each option exactly its share of a whole round', () => {
    fc.assert(
      fc.property(weights, (given) => {
        const all = options(given);
        const total = given.reduce((sum, weight) => sum + weight, 0);
        const counts = given.map(() => 0);
        for (let i = 0; i < total; i += 1) {
          const { id } = chooseByWeight(all) ?? { id: -1 };
          counts[id] = (counts[id] ?? 0) + 1;
        }
        expect(counts).toEqual(given);
      }),
      { numRuns: 60 },
    );
  });

  it('never chooses what has weight 0, and nothing where all have', () => {
    fc.assert(
      fc.property(weights, (given) => {
        const chosen = chooseByWeight(options(given));
        expect(chosen === undefined).toBe(given.every((weight) => weight === 0));
        expect(chosen?.weight).not.toBe(0);
      }),
    );
  });

  it('keeps to the shares when weights change on the way', () => {
    const first = options([100, 0]);
    for (let i = 0; i < 33; i += 1) chooseByWeight(first);
    const later = first.map(({ id, credit }) => ({ id, credit, weight: 50 }));
    const picks = Array.from({ length: 100 }, () => chooseByWeight(later)?.id);
    expect(picks.filter((id) => id === 1)).toHaveLength(50);
  });
});
