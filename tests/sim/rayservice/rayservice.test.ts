import { describe, expect, it } from 'vitest';
import { brokenPromise } from '../broken-promise.ts';
import { describeFailure, explore, seeds, simulate } from '../harness.ts';
import type { Scenario } from '../scenario.ts';
import { type Mistake, MISTAKES } from './mistakes.ts';
import { rayServiceScenario } from './scenario.ts';
import { undisturbedService } from './undisturbed.ts';

const SEEDS = 200;
/** The search ends at the first find, which is usually among the first twenty. */
const SEEDS_PER_MISTAKE = 100;

it(`the RayService controller keeps every promise, whatever happens in ${SEEDS} runs`, async () => {
  const scenario = rayServiceScenario();
  const failed = await explore(scenario, seeds(1, SEEDS));
  expect(failed === undefined ? '' : await describeFailure(scenario, failed, 200)).toBe('');
}, 900_000);

describe('a service that nothing disturbs', () => {
  it('is promoted by one reconcile and one answer of Ray, once all is ready', async () => {
    const scenario = undisturbedService();
    const failed = await explore(scenario, seeds(1, SEEDS));
    expect(failed === undefined ? '' : await describeFailure(scenario, failed, 50)).toBe('');
  }, 300_000);

  it('is promoted late by an operator that does not listen, and that is found', async () => {
    const breaks = /^a service is promoted by the first answer/;
    expect(await brokenPromise(undisturbedService({ isDeaf: true }), breaks, seeds(1, 20))).toMatch(breaks);
  }, 300_000);
});

/** Runs in which a head is lost while broken code is deployed, so that ready pods have nothing to serve: of the new cluster, of the old one. */
const SERVES_NOTHING = [460_768, 9_000_020];

it.each(SERVES_NOTHING)('no share stays with a cluster that serves nothing (seed %d)', async (seed) => {
  const { violation } = await simulate(rayServiceScenario(), seed);
  expect(violation).toBeUndefined();
});

it('the same seed gives the same history', async () => {
  const [first, second] = [await simulate(rayServiceScenario(), 7), await simulate(rayServiceScenario(), 7)];
  expect(second.log).toEqual(first.log);
});

describe('a mistake is found: an operator that', () => {
  /** What gives each away, and what must go wrong for it to matter. */
  const mistakes: Readonly<Record<Mistake, { breaks: RegExp; faults?: Scenario['faults'] }>> = {
    'takes-deploying-for-running': { breaks: /^traffic is not taken/ },
    'takes-failed-for-running': { breaks: /^(traffic is not taken|does not come to rest)/ },
    'counts-badly': { breaks: /^the shares of a route/ },
    'all-at-once': { breaks: /^no share that others could have/ },
    'never-moves': { breaks: /^reaches what is desired.*(pending|RollbackInProgress)/ },
    'takes-more-than-there-is': { breaks: /^(the shares of a route|no share that others)/ },
    'always-rests': { breaks: /^reaches what is desired/ },
    'two-at-a-time': { breaks: /^a cluster is made only once its name/ },
    'forgets-the-head-service': { breaks: /^reaches what is desired.*svc-head-svc leads to/ },
    'takes-the-label': { breaks: /^what is not ours/ },
    'random-names': { breaks: /^a cluster is made only once its name/ },
    'never-deletes': { breaks: /^reaches what is desired/ },
    'ignores-suspension': { breaks: /^reaches what is desired.*suspended/ },
    'sends-nothing': { breaks: /^reaches what is desired/ },
    'sends-once': { breaks: /^reaches what is desired.*runs/ },
    'full-from-the-start': { breaks: /^both clusters together/ },
    'leads-elsewhere': { breaks: /^(traffic is not taken|reaches what is desired)/ },
    'no-gateway': { breaks: /^reaches what is desired.*pending/ },
    'does-not-label': { breaks: /^reaches what is desired.*endpoints/ },
    'keeps-old-code': { breaks: /^reaches what is desired.*runs v1$/ },
    'no-capacity': { breaks: /^(reaches what is desired|no share that others|traffic is not taken)/ },
    'half-capacity': { breaks: /^no share that others|^reaches what is desired.*serves/ },
    'deletes-the-active': { breaks: /^no cluster that answers clients/ },
    'gives-nothing': { breaks: /^the shares of a route/ },
    'sees-no-changes': { breaks: /^reaches what is desired/ },
    restless: { breaks: /^does not come to rest/ },
    'sees-no-endpoints': { breaks: /^reaches what is desired.*not Ready/ },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  for (const mistake of Object.keys(MISTAKES) as Mistake[]) {
    it(`${MISTAKES[mistake].says}, within ${SEEDS_PER_MISTAKE} runs`, async () => {
      const { breaks, faults } = mistakes[mistake];
      const scenario = rayServiceScenario({ mistake, faults });
      expect(await brokenPromise(scenario, breaks, seeds(1, SEEDS_PER_MISTAKE))).toMatch(breaks);
    }, 300_000);
  }
});
