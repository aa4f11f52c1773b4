import { describe, it } from 'vitest';
import { quietTopics, topics } from '../cases/index.ts';
import type { Case, Target } from './target.ts';

/** Runs every case of every topic on one server. */
export function runSuite(target: () => Target): void {
  const define = (cases: readonly Case[]) =>
    // oxlint-disable-next-line vitest/expect-expect -- the cases themselves expect
    it.for(cases.map((item) => [item.title, item] as const))('%s', ([, { run }]) => run(target()));
  describe.concurrent.for(Object.entries(topics))('%s', ([, cases]) => {
    define(cases);
  });
  describe.for(Object.entries(quietTopics))('%s', ([, cases]) => {
    define(cases);
  });
}
