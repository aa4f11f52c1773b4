import { TransportError } from '@manta/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { createController } from './controller.ts';
import { createInformer } from './informer.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done } from './reconcile.ts';
import { fromInformer, named } from './source.ts';
import { CLUSTERS, cluster, PODS, setUp, stops } from './testing/controller-harness.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

/** A reconcile that only notes its keys. */
function counting() {
  const keys: string[] = [];
  const reconcile = async (key: string) => {
    keys.push(key);
    return done;
  };
  return { keys, reconcile };
}

describe('a controller whose informers have trouble', () => {
  it('stays off with a reason while a required kind is forbidden, and comes on when it is not', async () => {
    const { keys, reconcile } = counting();
    const { client, clock, controller } = await setUp({ reconcile, prepare: (fake) => fake.forbid(CLUSTERS) });
    await clock.advance(10_000);
    expect(controller.status()).toMatchObject({ state: 'off', reason: expect.stringContaining('Cluster: forbidden') });
    controller.enqueue('n/a');
    await clock.settle();
    expect(keys).toEqual([]);
    client.allow(CLUSTERS);
    await client.create(CLUSTERS, cluster('a'));
    await clock.advance(120_000);
    expect(controller.status()).toEqual({ state: 'on' });
    expect(keys).toEqual(['n/a']);
  });

  it('pauses when a kind is taken away later, and does what was missed when it is back', async () => {
    const { keys, reconcile } = counting();
    const { client, clock, controller } = await setUp({ reconcile });
    await client.create(CLUSTERS, cluster('a'));
    await clock.settle();
    client.forbid(CLUSTERS);
    client.cutWatches();
    await clock.settle();
    expect(controller.status().state).toBe('off');
    controller.enqueue('n/a');
    await clock.advance(500);
    expect(keys).toEqual(['n/a']);
    client.allow(CLUSTERS);
    await clock.advance(120_000);
    expect(keys).toEqual(['n/a', 'n/a']);
  });

  it('goes on through an outage of the server: old content is better than none', async () => {
    const { keys, reconcile } = counting();
    const { client, clock, controller } = await setUp({ reconcile });
    client.faults.onRequest = () => {
      throw new TransportError('no route', { wasNeverSent: true });
    };
    client.cutWatches(new TransportError('reset'));
    await clock.advance(5_000);
    controller.enqueue('n/a');
    await clock.settle();
    expect(controller.status()).toEqual({ state: 'on' });
    expect(keys).toEqual(['n/a']);
  });

  it('in several namespaces works in those that it can read', async () => {
    const { keys, reconcile } = counting();
    const { client, clock, controller } = await setUp({
      reconcile,
      namespaces: ['open', 'shut'],
      prepare: (fake) => fake.forbid(CLUSTERS, 'shut'),
    });
    controller.enqueue('open/a');
    controller.enqueue('shut/a');
    await clock.settle();
    expect(keys).toEqual(['open/a']);
    client.allow(CLUSTERS, 'shut');
    await clock.advance(5_000);
    expect(keys).toEqual(['open/a', 'shut/a']);
  });

  it('does without an optional kind that is absent, but waits for one that is on its way', async () => {
    const clock = new FakeClock();
    const client = new FakeClient({ clock });
    const { keys, reconcile } = counting();
    const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
    const clusters = createInformer(world, { type: CLUSTERS, project: (o) => o });
    const pods = createInformer(world, { type: PODS, project: (o) => o });
    const sources = [fromInformer(clusters), fromInformer(pods, { keys: named('cluster', (o) => o.metadata?.labels) })];
    const controller = createController(world, { name: 'c', sources, reconcile, optional: [pods] });
    const stop = new AbortController();
    stops.push(stop);
    client.unserve(PODS);
    await client.create(CLUSTERS, cluster('a'));
    void clusters.run(stop.signal);
    void controller.run(stop.signal, stop.signal);
    await clock.settle();
    expect([controller.status().state, keys]).toEqual(['off', []]);
    void pods.run(stop.signal);
    await clock.settle();
    expect([controller.status().state, keys]).toEqual(['on', ['n/a']]);
  });
});

describe('a controller that is stopped', () => {
  it('takes no new key, lets running reconciles finish, and then is over', async () => {
    const keys: string[] = [];
    const finish: (() => void)[] = [];
    const { client, clock, controller, stop, over } = await setUp({
      concurrency: 1,
      reconcile: async (key) => {
        keys.push(key);
        await new Promise<void>((resolve) => finish.push(resolve));
        return done;
      },
    });
    await client.create(CLUSTERS, cluster('a'));
    await client.create(CLUSTERS, cluster('b'));
    await clock.settle();
    expect(controller.running()).toEqual(['n/a']);
    stop.abort();
    await clock.settle();
    expect(controller.status().state).not.toBe('stopped');
    finish[0]?.();
    await over;
    expect(keys).toEqual(['n/a']);
    expect(controller.status()).toEqual({ state: 'stopped' });
  });

  it('aborts the signals of running reconciles when asked to, and does not call that a failure', async () => {
    const { client, clock, stop, abort, over, reports } = await setUp({
      reconcile: (_key, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await client.create(CLUSTERS, cluster('a'));
    await clock.settle();
    stop.abort();
    abort.abort(new Error('stopping'));
    await over;
    expect(reports.map(({ message }) => message)).toEqual(['Reconcile ended early, stopping']);
  });
});
