import { describe, expect, it } from 'vitest';
import { brokenPromise } from '../broken-promise.ts';
import { describeFailure, seeds, simulate } from '../harness.ts';
import { exploreInParallel } from '../parallel.ts';
import type { Scenario } from '../scenario.ts';
import { type Mistake, MISTAKES } from './mistakes.ts';
import { rayClusterScenario } from './scenario.ts';

const SEEDS = 10_000;
/** The search ends at the first find, which is usually among the first ten. */
const SEEDS_PER_MISTAKE = 800;
/** With a leader elected, schedules take longer, and less can go wrong. */
const ELECTED_SEEDS = 300;

it(`the RayCluster controller keeps every promise, whatever happens in ${SEEDS} runs`, async () => {
  const scenario = rayClusterScenario();
  const { failed, played } = await exploreInParallel({ scenario: scenario.name, first: 1, count: SEEDS });
  expect(failed === undefined ? '' : await describeFailure(scenario, await simulate(scenario, failed), 200)).toBe('');
  expect(played).toBe(SEEDS);
}, 900_000);

it(`so do instances that elect a leader, in ${ELECTED_SEEDS} runs`, async () => {
  const scenario = rayClusterScenario({ isElected: true });
  const { failed } = await exploreInParallel({ scenario: scenario.name, first: 1, count: ELECTED_SEEDS });
  expect(failed === undefined ? '' : await describeFailure(scenario, await simulate(scenario, failed), 200)).toBe('');
}, 900_000);

it('the same seed gives the same history', async () => {
  const [first, second] = [await simulate(rayClusterScenario(), 7), await simulate(rayClusterScenario(), 7)];
  expect(second.log).toEqual(first.log);
});

describe('a mistake is found: an operator that', () => {
  /** What gives each away, and what must go wrong for it to matter. */
  const mistakes: Readonly<Record<Mistake, { breaks: RegExp; faults?: Scenario['faults'] }>> = {
    'random-names': { breaks: /^never more workers/, faults: ['stale', 'crash'] },
    'no-barrier': { breaks: /^asks for no pod twice/ },
    'no-expected-deletions': { breaks: /^sends no pod away twice/, faults: ['freeze'] },
    'forgets-its-writes': { breaks: /^never two heads/ },
    'random-delete': { breaks: /^with the autoscaler on/ },
    boasts: { breaks: /^status tells of no ready worker/ },
    foresees: { breaks: /^status tells of no generation/ },
    overwrites: { breaks: /^the spec is left to its user/ },
    'finalizer-later': { breaks: /^Redis is not written to/ },
    'finalizer-forever': { breaks: /^reaches what is desired.*still there/ },
    'broad-delete': { breaks: /^what is not ours/ },
    'half-a-suspension': { breaks: /^reaches what is desired/ },
    disowns: { breaks: /^all that is made goes with its cluster/ },
    'writes-twice': { breaks: /^writes nothing that changes nothing/ },
    storms: { breaks: /^does not try again and again/ },
    restless: { breaks: /^does not come to rest/ },
    'ignores-terminating': { breaks: /^never more workers/ },
    'counts-terminating': { breaks: /^sends no pod away twice/ },
    'counts-deleted-as-failed': { breaks: /^replacements wait only/ },
    impatient: { breaks: /^removes no worker/ },
    'blind-to-failure': { breaks: /^reaches what is desired.*not ready/ },
    'contagious-failure': { breaks: /^removes no worker/ },
    'sees-readiness-early': { breaks: /^a cluster is provisioned/ },
    'forgets-deletions': { breaks: /^reaches what is desired/ },
    'never-drains': { breaks: /^asks for no pod twice/ },
    'blind-to-workers': { breaks: /^asks for no pod twice/ },
    'blind-to-heads': { breaks: /^reaches what is desired/ },
    adopts: { breaks: /^what is not ours/ },
    'forgets-its-hash': { breaks: /^writes nothing that changes nothing/ },
    'ignores-names': { breaks: /^reaches what is desired.*named/ },
    'ignores-suspension': { breaks: /^reaches what is desired.*heads/ },
    'ignores-group-suspension': { breaks: /^reaches what is desired.*of group/ },
    'ignores-recreate': { breaks: /^reaches what is desired.*older spec/ },
    'ignores-the-autoscaler': { breaks: /^with the autoscaler on/ },
    'ignores-bounds': { breaks: /^never more workers/ },
    'forgets-suspending': { breaks: /^writes nothing that changes nothing/ },
    'believes-jobs-early': { breaks: /^a deletion waits for its cleanup/ },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  for (const mistake of Object.keys(MISTAKES) as Mistake[]) {
    it(`${MISTAKES[mistake].says}, within ${SEEDS_PER_MISTAKE} runs`, async () => {
      const { breaks, faults } = mistakes[mistake];
      const scenario = rayClusterScenario({ mistake, faults });
      expect(await brokenPromise(scenario, breaks, seeds(1, SEEDS_PER_MISTAKE))).toMatch(breaks);
    }, 300_000);
  }
});
