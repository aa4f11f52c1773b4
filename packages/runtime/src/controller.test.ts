import type { KubeObject } from '@manta/api';
import { ApiError, type ResourceType, TransportError } from '@manta/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { type ControllerOptions, createController } from './controller.ts';
import { createInformer } from './informer.ts';
import { type Logger, silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done, type ReconcileContext, requeueAfter, TerminalError } from './reconcile.ts';
import { fromInformer, named } from './source.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

const type = (kind: string): ResourceType => ({
  group: '',
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  kind,
  isNamespaced: true,
});
const CLUSTERS = type('Cluster');
const PODS = type('Pod');
const cluster = (name: string, namespace = 'n'): KubeObject => ({ metadata: { name, namespace } });
const stops: AbortController[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

interface Report {
  readonly message: string;
  readonly error?: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

function recordingLogger(reports: Report[], inherited = {}): Logger {
  const write = (message: string, fields?: object) =>
    void reports.push({ message, fields: { ...inherited, ...fields } });
  return {
    named: () => recordingLogger(reports, inherited),
    with: (fields) => recordingLogger(reports, { ...inherited, ...fields }),
    debug: () => undefined,
    info: write,
    warn: write,
    error: (message, error, fields) => void reports.push({ message, error, fields: { ...inherited, ...fields } }),
  };
}

type Options = Pick<ControllerOptions, 'reconcile'> &
  Partial<ControllerOptions> & {
    readonly namespaces?: readonly string[];
    readonly prepare?: (client: FakeClient) => void;
  };

async function setUp({ namespaces, prepare, ...options }: Options) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const reports: Report[] = [];
  const metrics = createMetricsRegistry();
  const world = { clock, client, random: seededRandom(1), log: recordingLogger(reports), metrics };
  const clusters = createInformer({ ...world, log: silentLogger }, { type: CLUSTERS, project: (o) => o, namespaces });
  const pods = createInformer({ ...world, log: silentLogger }, { type: PODS, project: (o) => o, namespaces });
  prepare?.(client);
  const controller = createController(world, { name: 'cluster', sources: [fromInformer(clusters)], ...options });
  const stop = new AbortController();
  const abort = new AbortController();
  stops.push(stop, abort);
  void clusters.run(stop.signal);
  void pods.run(stop.signal);
  const over = controller.run(stop.signal, abort.signal);
  await clock.settle();
  const metric = (line: string) =>
    metrics
      .text()
      .split('\n')
      .find((found) => found.startsWith(`${line} `))
      ?.split(' ')[1];
  return { clock, client, clusters, pods, controller, stop, abort, over, reports, metric, world };
}

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

  it('reports a write conflict as the everyday thing it is', async () => {
    const conflict = new ApiError({ method: 'PUT', path: '/' }, 409, 'modified', {
      kind: 'Status',
      reason: 'Conflict',
    });
    const { client, clock, reports } = await setUp({
      reconcile: async () => {
        throw conflict;
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
    const contexts: Pick<ReconcileContext, 'freshness' | 'unseen'>[] = [];
    const { client, clock, pods, controller, reports, metric } = await setUp({
      lateAfterMs: 10_000,
      reconcile: async (_key, context) => {
        contexts.push({ freshness: context.freshness, unseen: context.unseen });
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
    expect(contexts).toEqual([{ freshness: 'cached', unseen: [] }]);
    await clock.advance(2_000);
    expect(contexts).toHaveLength(2);
    expect(contexts[1]).toMatchObject({ freshness: 'live', unseen: [{ kind: 'Pod', key: 'n/pod' }] });
    expect(metric('manta_write_barrier_late_total{controller="cluster"}')).toBe('1');
    expect(reports.map(({ message }) => message)).toContain(
      'Cache has not shown our last writes, reading from the server',
    );
  });
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
