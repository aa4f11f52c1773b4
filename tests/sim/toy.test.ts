import { describe, expect, it } from 'vitest';
import { describeFailure, explore, seeds } from './harness.ts';
import { BUGS, type Bug } from './toy/bugs.ts';
import { toyScenario } from './toy/scenario.ts';

const SEEDS = 300;
/** The search ends at the first find, which is usually among the first hundred. */
const SEEDS_PER_MISTAKE = 1_000;

it(`a toy operator made of the runtime's parts keeps every promise, whatever happens in ${SEEDS} runs`, async () => {
  const failed = await explore(toyScenario(), seeds(1, SEEDS));
  expect(failed === undefined ? '' : await describeFailure(toyScenario(), failed)).toBe('');
}, 120_000);

describe('a mistake is found: an operator that', () => {
  /** What gives each away, and what must go wrong for it to matter. */
  const mistakes: Readonly<Record<Bug, { breaks: RegExp; faults?: Parameters<typeof toyScenario>[1] }>> = {
    'stale-cache': { breaks: /^never more children/ },
    'lost-expectation': { breaks: /^never more children/ },
    'random-names': { breaks: /^never more children/, faults: ['crash', 'lose'] },
    'counts-terminating': { breaks: /^removes no child that is needed/ },
    'swallows-conflicts': { breaks: /^reaches what is desired.*status of/, faults: ['refuse'] },
    overwrites: { breaks: /^leaves the spec to the user/ },
    'forgets-deletions': { breaks: /^reaches what is desired.*children/ },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  for (const bug of Object.keys(BUGS) as Bug[]) {
    it(`${BUGS[bug]}, within ${SEEDS_PER_MISTAKE} runs`, async () => {
      const { breaks, faults } = mistakes[bug];
      const found = await explore(toyScenario(bug, faults), seeds(1, SEEDS_PER_MISTAKE));
      expect(found?.violation).toMatch(breaks);
    }, 120_000);
  }
});
