import { describe, expect, it } from 'vitest';
import { createController } from './controller.ts';
import { createInformer } from './informer.ts';
import { workersCheck } from './liveness.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done } from './reconcile.ts';
import { PODS } from './testing/controller-harness.ts';
import { FakeClient } from './testing/fake-client.ts';
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

  it('passes while a worker goes on writing', async () => {
    const clock = new FakeClock();
    const world = { clock, random: () => 0, log: silentLogger, metrics: createMetricsRegistry() };
    const pods = createInformer({ ...world, client: new FakeClient() }, { type: PODS, project: (pod) => pod });
    let write = () => {};
    const controller = createController(world, {
      name: 'thing',
      sources: [],
      reconcile: async (_, context) => {
        write = () => context.wrote(pods, { metadata: { namespace: 'n', name: 'p' } });
        return await new Promise<never>(() => {});
      },
    });
    const stop = new AbortController();
    void controller.run(stop.signal, new AbortController().signal);
    const check = workersCheck([controller]);
    controller.enqueue('n/large');
    for (let minute = 0; minute < 60; minute += 1) {
      await clock.advance(60_000);
      write();
      expect(check()).toEqual({ isOk: true });
    }
    await clock.advance(1_200_000);
    expect(check()).toMatchObject({ isOk: false });
    stop.abort();
  });
});
