import { describe, expect, it } from 'vitest';
import { describeFailure, explore, seeds, simulate } from '../harness.ts';
import { exploreInParallel } from '../parallel.ts';
import type { Scenario } from '../scenario.ts';
import { type Mistake, MISTAKES } from './mistakes.ts';
import { rayClusterScenario } from './scenario.ts';

const SEEDS = 10_000;
/** The search ends at the first find, which is usually among the first twenty. */
const SEEDS_PER_MISTAKE = 150;

it(`the RayCluster controller keeps every promise, whatever happens in ${SEEDS} runs`, async () => {
  const scenario = rayClusterScenario();
  const { failed, played } = await exploreInParallel({ scenario: scenario.name, first: 1, count: SEEDS });
  expect(failed === undefined ? '' : await describeFailure(scenario, await simulate(scenario, failed), 200)).toBe('');
  expect(played).toBe(SEEDS);
}, 900_000);

it('the same seed gives the same history', async () => {
  const [first, second] = [await simulate(rayClusterScenario(), 7), await simulate(rayClusterScenario(), 7)];
  expect(second.log).toEqual(first.log);
});

describe('a mistake is found: an operator that', () => {
  /** What gives each away, and what must go wrong for it to matter. */
  const mistakes: Readonly<Record<Mistake, { breaks: RegExp; faults?: Scenario['faults'] }>> = {
    'random-names': { breaks: /^never (more workers|two heads)/, faults: ['crash', 'lose'] },
    'forgets-its-writes': { breaks: /^never (more workers|two heads)/ },
    'ignores-terminating': { breaks: /^never more workers/ },
    'random-delete': { breaks: /^with the autoscaler on/ },
    impatient: { breaks: /^with the autoscaler on|^removes no worker/ },
    boasts: { breaks: /^status tells of no ready worker/ },
    'forgets-deletions': { breaks: /^reaches what is desired/ },
    overwrites: { breaks: /^the spec is left to its user/ },
    'finalizer-later': { breaks: /^Redis is not written to/ },
    'broad-delete': { breaks: /^with the autoscaler on|^what is not ours|^removes no worker/ },
    'ignores-names': { breaks: /^reaches what is desired.*named/ },
    'never-drains': { breaks: /^reaches what is desired/ },
    restless: { breaks: /^does not come to rest/ },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  for (const mistake of Object.keys(MISTAKES) as Mistake[]) {
    it(`${MISTAKES[mistake].says}, within ${SEEDS_PER_MISTAKE} runs`, async () => {
      const { breaks, faults } = mistakes[mistake];
      const found = await explore(rayClusterScenario({ mistake, faults }), seeds(1, SEEDS_PER_MISTAKE));
      expect(found?.violation).toMatch(breaks);
    }, 300_000);
  }
});
