import { expect, it } from 'vitest';
import { walk } from './walk.ts';

/** As many as fit in 15 seconds; `npm run test:long -- --scenario preview` plays 1,000 edits and more. */
const WALKS = 12;
const EDITS = 8;

it(`preview announces what the operator then does, in ${WALKS * EDITS} random edits`, async () => {
  let effects = 0;
  for (let seed = 1; seed <= WALKS; seed += 1) {
    const outcome = await walk(seed, EDITS);
    expect(outcome.mismatch).toBeUndefined();
    effects += outcome.effects;
  }
  // Edits without any effect would prove nothing.
  expect(effects).toBeGreaterThan(WALKS * 2);
}, 120_000);
