import { describe, expect, it } from 'vitest';
import { topics } from '../cases/index.ts';
import type { Target } from './target.ts';

/** Runs every case of every topic on one server; a case that this server may not run is shown as skipped, with its reason. */
export function runSuite(server: Target['name'], target: () => Target): void {
  for (const [topic, cases] of Object.entries(topics)) {
    describe.concurrent(`${topic}`, () => {
      for (const { title, run, skip } of cases)
        it(`${title}`, async (context) => {
          context.skip(skip?.[server] !== undefined, skip?.[server]);
          expect(await run(target())).toBeUndefined();
        });
    });
  }
}
