import { systemClock } from '@manta/kube';
import { expect, it } from 'vitest';
import { createController } from './controller.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done } from './reconcile.ts';
import { seededRandom } from './testing/seeded-random.ts';

it('hears answers between passes that wait for nothing, however many are queued', async () => {
  let passes = 0;
  let now = 0;
  // Each pass takes a millisecond of its own.
  const clock = { ...systemClock, now: () => now };
  const world = { clock, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const over = Promise.withResolvers<void>();
  const controller = createController(world, {
    name: 'busy',
    sources: [],
    concurrency: 8,
    reconcile: async () => {
      passes += 1;
      now += 1;
      if (passes === 1000) over.resolve();
      return done;
    },
  });
  for (let at = 0; at < 1000; at += 1) controller.enqueue(`n/${at}`);
  const stop = new AbortController();
  const running = controller.run(stop.signal, stop.signal);
  // An answer from outside, such as that to a request.
  const heardAfter = await new Promise<number>((heard) => {
    setImmediate(() => setImmediate(() => heard(passes)));
  });
  await over.promise;
  stop.abort();
  await running;
  expect(heardAfter).toBeLessThan(100);
});
