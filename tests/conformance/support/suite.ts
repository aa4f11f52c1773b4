import { describe, expect, it } from 'vitest';
import { topics } from '../cases/index.ts';
import type { Target } from './target.ts';

const table = Object.entries(topics);

/** Runs every case of every topic on one server; a case that this server may not run is shown as skipped, with its reason. */
export function runSuite(server: Target['name'], target: () => Target): void {
  describe.concurrent.for(table)('%s', ([, cases]) => {
    it.for(cases.map((item) => [item.title, item] as const))('%s', async ([, { run, skip }], context) => {
      const reason = skip?.[server];
      context.skip(reason !== undefined, reason);
      await run(target());
      expect(reason).toBeUndefined();
    });
  });
}
