import { describe, expect, it } from 'vitest';
import { brokenPromise } from '../broken-promise.ts';
import { describeFailure, explore, seeds, simulate } from '../harness.ts';
import type { Scenario } from '../scenario.ts';
import { type Mistake, MISTAKES } from './mistakes.ts';
import { rayJobScenario } from './scenario.ts';

const SEEDS = 300;
const FOCUSED_SEEDS = 150;
/** The search ends at the first find; the rarest mistake shows in about one run of a hundred. */
const SEEDS_PER_MISTAKE = 300;

it(`the RayJob controller keeps every promise, whatever happens in ${SEEDS} runs`, async () => {
  const scenario = rayJobScenario();
  const failed = await explore(scenario, seeds(1, SEEDS));
  expect(failed === undefined ? '' : await describeFailure(scenario, failed, 200)).toBe('');
}, 900_000);

it(`so it does where clusters are deleted whose heads are not ready, in ${FOCUSED_SEEDS} runs`, async () => {
  const scenario = rayJobScenario({ moves: ['delete a cluster whose head is not ready'] });
  const failed = await explore(scenario, seeds(1, FOCUSED_SEEDS));
  expect(failed === undefined ? '' : await describeFailure(scenario, failed, 200)).toBe('');
}, 300_000);

/** A run in which the operator's clock is set forward by ten minutes while a head is silent. */
const CLOCK_SET_FORWARD = 477_244;

it(`a clock that is set forward does not end the operator's patience (seed ${CLOCK_SET_FORWARD})`, async () => {
  const { violation } = await simulate(rayJobScenario(), CLOCK_SET_FORWARD);
  expect(violation).toBeUndefined();
});

it('the same seed gives the same history', async () => {
  const [first, second] = [await simulate(rayJobScenario(), 7), await simulate(rayJobScenario(), 7)];
  expect(second.log).toEqual(first.log);
});

describe('a mistake is found: an operator that', () => {
  /** What gives each away, and what must go wrong for it to matter. */
  const mistakes: Readonly<
    Record<Mistake, { breaks: RegExp; faults?: Scenario['faults']; moves?: readonly string[] }>
  > = {
    'random-ids': { breaks: /^nothing runs that was not written down/ },
    'random-clusters': { breaks: /^no cluster is made/ },
    'believes-the-worst': { breaks: /^what the status says of Ray/ },
    'believes-the-best': { breaks: /^what the status says of Ray/ },
    'silence-is-failure': { breaks: /^what the status says of Ray/ },
    'hard-of-hearing': { breaks: /^(no job fails|no attempt runs twice|what the status says)/ },
    'forgets-attempts': { breaks: /^no attempt runs twice/ },
    'blind-writes': {
      breaks: /^(what has ended stays|the two statuses|counters|what the status says|reaches|no cluster|nothing)/,
      faults: ['overlap', 'slow'],
      moves: ['suspend', 'resume'],
    },
    'writes-nothing': { breaks: /^reaches what is desired/ },
    'counts-twice': { breaks: /^counters match/ },
    contradicts: { breaks: /^the two statuses/ },
    'calls-failure-success': { breaks: /^what the status says of Ray/ },
    reopens: { breaks: /^(what has ended stays|counters match)/ },
    'clears-first': { breaks: /^nothing is cleared away/ },
    'never-clears': { breaks: /^reaches what is desired/ },
    'clears-too-much': { breaks: /^what is not ours/ },
    'edits-the-spec': { breaks: /^what is not ours/ },
    'holds-on': { breaks: /^reaches what is desired/ },
    'submitters-judge': { breaks: /^what the status says of Ray/ },
    'submits-twice': { breaks: /^nothing runs that was not written down/ },
    hurries: {
      breaks: /^no attempt begins before/,
      faults: ['slow'],
      moves: ['suspend', 'resume', 'stop a Ray job'],
    },
    'takes-any-head': {
      breaks: /^no attempt runs twice/,
      faults: ['crash', 'slow'],
      moves: ['kill a head', 'Ray is restarted in its pod', 'the operator dies at its next word to Ray'],
    },
    'fails-a-success': { breaks: /^(the two statuses|no job fails|counters)/ },
    'never-stops': { breaks: /^a deadline ends the job/, moves: [] },
    'brings-back': { breaks: /^no attempt runs twice/, moves: ["delete a job's cluster"] },
    'leaves-strays': { breaks: /^(reaches what is desired|no attempt begins)/ },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  for (const mistake of Object.keys(MISTAKES) as Mistake[]) {
    it(`${MISTAKES[mistake].says}, within ${SEEDS_PER_MISTAKE} runs`, async () => {
      const { breaks, faults, moves } = mistakes[mistake];
      const scenario = rayJobScenario({ mistake, faults, moves });
      expect(await brokenPromise(scenario, breaks, seeds(1, SEEDS_PER_MISTAKE))).toMatch(breaks);
    }, 300_000);
  }
});
