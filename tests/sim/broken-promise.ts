import { simulate } from './harness.ts';
import type { Scenario } from './scenario.ts';

/**
 * How a deliberate mistake in the program gives itself away: the first violation of this promise. The others are not looked at, since a
 * mistake that breaks several is to be found by the one that is about it, whichever a seed happens to break first.
 */
export async function brokenPromise(
  scenario: Scenario,
  promise: RegExp,
  tried: Iterable<number>,
): Promise<string | undefined> {
  const watched = promising(scenario, promise);
  for (const seed of tried) {
    const { violation } = await simulate(watched, seed);
    if (violation !== undefined && promise.test(violation)) return violation;
  }
  return undefined;
}

/** The scenario with this promise alone; its goal stays, since a run goes on until that is reached. */
function promising(scenario: Scenario, { source }: RegExp): Scenario {
  // What a pattern says after `.*` is about the particulars of a violation; only the sentence before it names the promise.
  const isMeant = (sentence: string) => new RegExp(source.replace(/\.\*.*/, '')).test(sentence);
  const invariants = Object.entries(scenario.invariants).filter(([sentence]) => isMeant(sentence));
  return { ...scenario, invariants: Object.fromEntries(invariants) };
}
