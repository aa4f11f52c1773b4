import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { replayedChoices, seededChoices } from './choices.ts';
import { describeFailure, explore, type Outcome, seeds, shrink, simulate } from './harness.ts';
import { shrinkTrace } from './shrink.ts';
import { toyScenario } from './toy/scenario.ts';

const history = ({ events }: Outcome) =>
  events.map(({ type, key, revision, at, by, object }) => ({ type, key, revision, at, by, object }));

describe('the same seed', () => {
  it('gives the same history, write by write and step by step', async () => {
    for (const seed of seeds(1, 10)) {
      const [first, second] = [await simulate(toyScenario(), seed), await simulate(toyScenario(), seed)];
      expect(history(second)).toEqual(history(first));
      expect(second.log).toEqual(first.log);
      expect(second.trace).toEqual(first.trace);
      expect(first.events.length).toBeGreaterThan(5);
    }
  });

  it('gives the same history from its recorded choices', async () => {
    const first = await simulate(toyScenario(), 3);
    expect(history(await simulate(toyScenario(), 3, { trace: first.trace }))).toEqual(history(first));
  });

  it('differs from another seed', async () => {
    expect((await simulate(toyScenario(), 1)).log).not.toEqual((await simulate(toyScenario(), 2)).log);
  });
});

describe('a failure', () => {
  const scenario = toyScenario('counts-terminating');
  const found = async () => {
    const outcome = await explore(scenario, seeds(1, 300));
    if (outcome === undefined) throw new Error('nothing was found');
    return outcome;
  };

  it('fails again, the same way, when its seed is replayed', async () => {
    const failed = await found();
    expect((await simulate(scenario, failed.seed)).violation).toBe(failed.violation);
  });

  it('shrinks to a shorter schedule that breaks the same promise', async () => {
    const failed = await found();
    const shortest = await shrink(scenario, failed, 400);
    expect(shortest.violation).toMatch(/^removes no child that is needed/);
    expect(shortest.log.length).toBeLessThan(failed.log.length);
    expect((await simulate(scenario, shortest.seed, { trace: shortest.trace })).violation).toBe(shortest.violation);
  }, 60_000);

  it('is told with its seed, the way to see it again, and what happened', async () => {
    const text = await describeFailure(scenario, await found(), 50);
    expect(text).toMatch(/^seed \d+ of "toy:counts-terminating": removes no child that is needed/);
    expect(text).toMatch(/--scenario toy:counts-terminating --seed \d+/);
    expect(text).toMatch(/operator#1 starts/);
  });
});

test('choices past the end of a record are the plainest, and never out of range', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(200)), fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (trace, counts) => {
      const choices = replayedChoices(trace);
      const picked = counts.map((count) => choices.pick(count));
      expect(picked.every((value, index) => value >= 0 && value < (counts[index] ?? 0))).toBe(true);
      expect(replayedChoices([]).pick(9)).toBe(0);
      expect(replayedChoices([]).chance(0.99)).toBe(false);
    }),
  );
});

test('choices come as often as asked for', () => {
  const choices = seededChoices(1);
  const hits = Array.from({ length: 1_000 }, () => choices.chance(0.3)).filter(Boolean).length;
  expect(hits).toBeGreaterThan(250);
  expect(hits).toBeLessThan(350);
});

test('shrinking keeps exactly what a failure needs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }), async (noise) => {
      const trace = [...noise, 7, ...noise];
      const needsSeven = async (candidate: readonly number[]) => (candidate.includes(7) ? candidate : undefined);
      expect((await shrinkTrace(trace, 5_000, needsSeven)).filter((value) => value !== 0)).toEqual([7]);
    }),
    { numRuns: 50 },
  );
});
