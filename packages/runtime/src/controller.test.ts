import { ApiError, TransportError } from '@manta/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { createController } from './controller.ts';
import { createInformer } from './informer.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done, OutdatedError, type ReconcileContext, requeueAfter, TerminalError } from './reconcile.ts';
import { fromInformer, named } from './source.ts';
import { CLUSTERS, cluster, PODS, setUp, stops } from './testing/controller-harness.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

describe('a controller', () => {
  it('reconciles what exists and what changes', async () => {
    const keys: string[] = [];
    const { client, clock } = await setUp({
      reconcile: async (key) => {
        keys.push(key);
        return done;
      },
    });
    await client.create(CLUSTERS, cluster('a'));
    await clock.settle();
    await client.patch(CLUSTERS, { name: 'a', namespace: 'n' }, { type: 'merge', body: { spec: {} } });
    await clock.settle();
    expect(keys).toEqual(['n/a', 'n/a']);
  });

  it('comes back when a reconcile asked for it', async () => {
    let runs = 0;
    const { client, clock, metric } = await setUp({
      reconcile: async () => {
        runs += 1;
        return requeueAfter(5000);
      },
    });
    await client.create(CLUSTERS, cluster('a'));
    await clock.advance(4999);
    expect(runs).toBe(1);
    await clock.advance(1);
    expect(runs).toBe(2);
    expect(metric('controller_runtime_reconcile_total{controller="cluster",result="requeue_after"}')).toBe('2');
  });

  it('counts, reports and retries a failure with growing delays, and stops nothing else for it', async () => {
    const runs: Record<string, number> = {};
    const { client, clock, reports, metric } = await setUp({
      reconcile: async (key) => {
        runs[key] = (runs[key] ?? 0) + 1;
        if (key === 'n/bad') throw new Error('dashboard said no');
        return done;
      },
    });
    await client.create(CLUSTERS, cluster('bad'));
    await clock.advance(1000);
    await client.create(CLUSTERS, cluster('good'));
    await clock.settle();
    // 0, 5, 15, 35, 75, 155, 315, 635 ms.
    expect(runs).toEqual({ 'n/bad': 8, 'n/good': 1 });
    expect(reports).toHaveLength(8);
    expect(reports[0]).toMatchObject({
      message: 'Reconciler error',
      error: new Error('dashboard said no'),
      fields: {
        controller: 'cluster',
        namespace: 'n',
        name: 'bad',
        reconcileID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(metric('controller_runtime_reconcile_errors_total{controller="cluster"}')).toBe('8');
    expect(metric('controller_runtime_reconcile_total{controller="cluster",result="error"}')).toBe('8');
    expect(metric('controller_runtime_reconcile_total{controller="cluster",result="success"}')).toBe('1');
    expect(metric('controller_runtime_reconcile_panics_total{controller="cluster"}')).toBe('0');
    expect(metric('controller_runtime_active_workers{controller="cluster"}')).toBe('0');
  });

  it('counts a bug as a panic and carries on, also when the reconcile throws before it returns a promise', async () => {
    const { client, clock, metric } = await setUp({
      reconcile: () => {
        throw new TypeError('undefined is not a function');
      },
    });
    await client.create(CLUSTERS, cluster('a'));
    await clock.advance(7);
    expect(metric('controller_runtime_reconcile_panics_total{controller="cluster"}')).toBe('2');
  });

  it('does not retry what trying again cannot mend, until something changes', async () => {
    let runs = 0;
    const { client, clock, metric } = await setUp({
      reconcile: async () => {
        runs += 1;
        throw new TerminalError('spec is invalid');
      },
    });
    await client.create(CLUSTERS, cluster('a'));
    await clock.advance(3_600_000);
    expect(runs).toBe(1);
    await client.patch(CLUSTERS, { name: 'a', namespace: 'n' }, { type: 'merge', body: { spec: {} } });
    await clock.advance(1000);
    expect(runs).toBe(2);
    expect(metric('controller_runtime_terminal_reconcile_errors_total{controller="cluster"}')).toBe('2');
  });

  const modified = { kind: 'Status', reason: 'Conflict' } as const;
  it.each([
    ['a write conflict', new ApiError({ method: 'PUT', path: '/' }, 409, 'modified', modified)],
    ['a decision that no longer holds', new OutdatedError('too late')],
  ])('reports %s as the everyday thing it is', async (_, reason) => {
    const { client, clock, reports } = await setUp({
      reconcile: async () => {
        throw reason;
      },
    });
    await client.create(CLUSTERS, cluster('a'));
    await clock.settle();
    expect(reports.map(({ message, error }) => [message, error])).toEqual([
      ['Object changed meanwhile, trying again', undefined],
    ]);
  });

  it('does not let a slow key delay others, and never works on one key twice at once', async () => {
    const running = new Set<string>();
    const seen: string[] = [];
    let twice = 0;
    const finish = new Map<string, () => void>();
    const { client, clock } = await setUp({
      reconcile: async (key) => {
        if (running.has(key)) twice += 1;
        running.add(key);
        seen.push(key);
        if (key === 'n/slow') await new Promise<void>((resolve) => finish.set(key, resolve));
        running.delete(key);
        return done;
      },
    });
    await client.create(CLUSTERS, cluster('slow'));
    await clock.settle();
    for (let n = 0; n < 20; n += 1) {
      await client.create(CLUSTERS, cluster(`fast-${n}`));
      await client.patch(CLUSTERS, { name: 'slow', namespace: 'n' }, { type: 'merge', body: { spec: { n } } });
      await clock.settle();
    }
    expect(seen).toHaveLength(21);
    finish.get('n/slow')?.();
    await clock.settle();
    expect(seen.filter((key) => key === 'n/slow')).toHaveLength(2);
    expect(twice).toBe(0);
  });

  it('works on no more keys at once than it may', async () => {
    let now = 0;
    let most = 0;
    const { client, clock, metric } = await setUp({
      concurrency: 3,
      reconcile: async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise<void>((resolve) => clock.setTimer(10, resolve));
        now -= 1;
        return done;
      },
    });
    for (let n = 0; n < 10; n += 1) await client.create(CLUSTERS, cluster(`c${n}`));
    await clock.advance(5);
    expect(metric('controller_runtime_active_workers{controller="cluster"}')).toBe('3');
    expect(metric('controller_runtime_max_concurrent_reconciles{controller="cluster"}')).toBe('3');
    await clock.advance(1000);
    expect([now, most]).toEqual([0, 3]);
  });

  it('tells a reconcile that takes too long to give up', async () => {
    const { client, clock, metric } = await setUp({
      reconcileTimeoutMs: 1000,
      reconcile: (_key, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await client.create(CLUSTERS, cluster('a'));
    await clock.advance(1000);
    expect(metric('controller_runtime_reconcile_timeouts_total{controller="cluster"}')).toBe('1');
    expect(metric('controller_runtime_reconcile_errors_total{controller="cluster"}')).toBe('1');
  });

  it('does not act again on a cache that has not shown what it wrote', async () => {
    const counts: number[] = [];
    const { client, clock, pods, controller } = await setUp({
      reconcile: async (key, context) => {
        counts.push(pods.size);
        if (pods.size === 0) context.wrote(pods, await client.create(PODS, cluster('pod')));
        if (counts.length === 1) controller.enqueue(key);
        return done;
      },
      required: [],
    });
    client.faults.onWatchEvent = (event) =>
      event.type === 'ADDED' && event.object.kind === 'Pod' ? 'close' : undefined;
    await client.create(CLUSTERS, cluster('a'));
    await clock.advance(500);
    expect(counts).toEqual([0]);
    client.faults.onWatchEvent = undefined;
    await clock.advance(2000);
    expect(counts).toEqual([0, 1]);
    expect(controller.status().state).toBe('on');
  });

  it('reconciles once, not once per write, when the cache has shown all that a reconcile wrote', async () => {
    let runs = 0;
    const clock = new FakeClock();
    const client = new FakeClient({ clock });
    const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
    const clusters = createInformer(world, { type: CLUSTERS, project: (o) => o });
    const pods = createInformer(world, { type: PODS, project: (o) => o });
    const sources = [fromInformer(clusters), fromInformer(pods, { keys: named('cluster', (o) => o.metadata?.labels) })];
    const controller = createController(world, {
      name: 'c',
      sources,
      reconcile: async (_key, context) => {
        runs += 1;
        for (let n = pods.size; n < 5; n += 1) {
          const pod = { metadata: { name: `p${n}`, namespace: 'n', labels: { cluster: 'a' } } };
          context.wrote(pods, await client.create(PODS, pod));
        }
        return done;
      },
    });
    const stop = new AbortController();
    stops.push(stop);
    for (const part of [clusters, pods]) void part.run(stop.signal);
    void controller.run(stop.signal, stop.signal);
    await client.create(CLUSTERS, cluster('a'));
    await clock.advance(60_000);
    expect(pods.size).toBe(5);
    expect(runs).toBe(2);
  });

  it('demands a live read, and says so, when the cache does not show our writes in time', async () => {
    const contexts: Pick<ReconcileContext, 'freshness' | 'pendingWrites'>[] = [];
    const { client, clock, pods, controller, reports, metric } = await setUp({
      lateAfterMs: 10_000,
      reconcile: async (_key, context) => {
        contexts.push({ freshness: context.freshness, pendingWrites: context.pendingWrites });
        if (contexts.length === 1) context.wrote(pods, await client.create(PODS, cluster('pod')));
        return done;
      },
    });
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'watch' && path.endsWith('/pods')) throw new TransportError('no route', { wasNeverSent: true });
    };
    client.cutWatches(new TransportError('reset'));
    await clock.settle();
    await client.create(CLUSTERS, cluster('a'));
    await clock.settle();
    controller.enqueue('n/a');
    await clock.advance(9_000);
    expect(contexts).toEqual([{ freshness: 'cached', pendingWrites: [] }]);
    await clock.advance(2_000);
    expect(contexts).toHaveLength(2);
    expect(contexts[1]).toMatchObject({ freshness: 'live', pendingWrites: [{ kind: 'Pod', key: 'n/pod' }] });
    expect(metric('manta_write_barrier_late_total{controller="cluster"}')).toBe('1');
    expect(reports.map(({ message }) => message)).toContain(
      'Cache has not shown our last writes, reading from the server',
    );
  });
});
