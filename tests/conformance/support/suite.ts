import { describe, expect, it } from 'vitest';
import { quietTopics, topics } from '../cases/index.ts';
import type { Case, Target } from './target.ts';

/** Runs every case of every topic on one server; a case that this server may not run is shown as skipped, with its reason. */
export function runSuite(server: Target['name'], target: () => Target): void {
  const define = (cases: readonly Case[]) =>
    it.for(cases.map((item) => [item.title, item] as const))('%s', async ([, { run, skip }], context) => {
      const reason = skip?.[server];
      context.skip(reason !== undefined, reason);
      await run(target());
      expect(reason).toBeUndefined();
    });
  describe.concurrent.for(Object.entries(topics))('%s', ([, cases]) => {
    define(cases);
  });
  describe.for(Object.entries(quietTopics))('%s', ([, cases]) => {
    define(cases);
  });
}
