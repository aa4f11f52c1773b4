import { describe, expect, it } from 'vitest';
import { brokenPromise } from '../broken-promise.ts';
import { describeFailure, explore, seeds, simulate } from '../harness.ts';
import type { Scenario } from '../scenario.ts';
import { type Mistake, MISTAKES } from './mistakes.ts';
import { rayCronJobScenario } from './scenario.ts';

const SEEDS = 300;
const SEEDS_PER_MISTAKE = 150;

it(`the RayCronJob controller keeps every promise, whatever happens in ${SEEDS} runs`, async () => {
  const scenario = rayCronJobScenario();
  const failed = await explore(scenario, seeds(1, SEEDS));
  expect(failed === undefined ? '' : await describeFailure(scenario, failed, 200)).toBe('');
}, 900_000);

it('the same seed gives the same history', async () => {
  const [first, second] = [await simulate(rayCronJobScenario(), 7), await simulate(rayCronJobScenario(), 7)];
  expect(second.log).toEqual(first.log);
});

describe('a mistake is found: a scheduler that', () => {
  /** What gives each away, and what must go wrong for it to matter. */
  const mistakes: Readonly<Record<Mistake, { breaks: RegExp; faults?: Scenario['faults'] }>> = {
    'random-names': { breaks: /^no time is served twice/, faults: ['crash', 'lose'] },
    'counts-first': { breaks: /^no time within its deadline/, faults: ['refuse', 'lose'] },
    'forgets-what-it-served': { breaks: /^(no time is served twice|what was served|does not come to rest)/ },
    hasty: { breaks: /^every RayJob is for a time/ },
    sleepy: { breaks: /^no time within its deadline/ },
    'blind-writes': { breaks: /^(what was served|no time within)/ },
    'sees-no-children': { breaks: /^(Forbid never|reaches what is desired)/ },
    'sees-no-end': { breaks: /^reaches what is desired/ },
    'takes-running-for-ended': { breaks: /^(only what has ended|Forbid never|the newest that ended)/ },
    'takes-the-label': { breaks: /^(what is not ours|reaches what is desired)/ },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  for (const mistake of Object.keys(MISTAKES) as Mistake[]) {
    it(`${MISTAKES[mistake].says}, within ${SEEDS_PER_MISTAKE} runs`, async () => {
      const { breaks, faults } = mistakes[mistake];
      const scenario = rayCronJobScenario({ mistake, faults });
      expect(await brokenPromise(scenario, breaks, seeds(1, SEEDS_PER_MISTAKE))).toMatch(breaks);
    }, 300_000);
  }
});
