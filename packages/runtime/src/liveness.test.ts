import { describe, expect, it } from 'vitest';
import { createController } from './controller.ts';
import { workersCheck } from './liveness.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done } from './reconcile.ts';
import { FakeClock } from './testing/fake-clock.ts';

describe('the check of workers', () => {
  it('fails while a worker has been on one key for ten minutes, and passes when it is done', async () => {
    const clock = new FakeClock();
    const world = { clock, random: () => 0, log: silentLogger, metrics: createMetricsRegistry() };
    let finish = () => {};
    const controller = createController(world, {
      name: 'thing',
      sources: [],
      reconcile: async (key) => {
        if (key === 'n/slow') await new Promise<void>((resolve) => (finish = resolve));
        return done;
      },
    });
    const stop = new AbortController();
    void controller.run(stop.signal, new AbortController().signal);
    const check = workersCheck([controller]);
    controller.enqueue('n/slow');
    controller.enqueue('n/quick');
    await clock.advance(599_999);
    expect(check()).toEqual({ isOk: true });
    await clock.advance(1);
    expect(check()).toEqual({ isOk: false, reason: 'working for over 10 minutes: thing n/slow' });
    finish();
    await clock.settle();
    expect(check()).toEqual({ isOk: true });
    stop.abort();
  });
});
