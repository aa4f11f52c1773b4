import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { createController } from './controller.ts';
import { createInformer } from './informer.ts';
import { type Logger, silentLogger } from './logger.ts';
import { createManager, type Leadership, type ManagerOptions } from './manager.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done, type Reconcile } from './reconcile.ts';
import { fromInformer } from './source.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

const type = (kind: string): ResourceType => ({
  group: '',
  version: 'v1',
  plural: `${kind}s`,
  kind,
  isNamespaced: true,
});
const A = type('a');
const B = type('b');
const object = (name: string): KubeObject => ({ metadata: { name, namespace: 'n' } });

/** A manager of two controllers, one per kind, both with this reconcile. */
function setUp(
  options: Partial<ManagerOptions> & { readonly reconcile?: (name: string) => Reconcile; readonly log?: Logger } = {},
) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const world = {
    clock,
    client,
    random: seededRandom(1),
    log: options.log ?? silentLogger,
    metrics: createMetricsRegistry(),
  };
  const keys: string[] = [];
  const note =
    (name: string): Reconcile =>
    async (key) => {
      keys.push(`${name} ${key}`);
      return done;
    };
  const informers = [A, B].map((kind) => createInformer(world, { type: kind, project: (o) => o }));
  const controllers = informers.map((informer) =>
    createController(world, {
      name: informer.type.kind,
      sources: [fromInformer(informer)],
      reconcile: (options.reconcile ?? note)(informer.type.kind),
    }),
  );
  const manager = createManager(world, { informers, controllers, ...options });
  const stop = new AbortController();
  return { clock, client, manager, keys, stop };
}

/** Leadership in the test's hand. */
function elections() {
  const end = new AbortController();
  const log: string[] = [];
  const { promise: won, resolve: win } = Promise.withResolvers<void>();
  const leadership: Leadership = {
    async runWhenLeader(stop, lead) {
      await won;
      stop.addEventListener('abort', () => end.abort(), { once: true });
      await lead(end.signal);
      log.push('lease released');
      if (!stop.aborted) throw new Error('leadership lost');
    },
  };
  return { leadership, win, lose: () => end.abort(), log };
}

const hang: Reconcile = (_key, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a manager', () => {
  it('runs every controller as soon as its own informers have content, also when another kind is forbidden', async () => {
    const { client, clock, keys, manager, stop } = setUp();
    client.forbid(B);
    await client.create(A, object('x'));
    const over = manager.run(stop.signal);
    await clock.advance(2000);
    expect(keys).toEqual(['a n/x']);
    expect(manager.status()).toMatchObject({
      isLeading: true,
      informers: [
        { kind: 'a', phase: 'synced' },
        { kind: 'b', phase: 'forbidden' },
      ],
      controllers: [
        { name: 'a', state: 'on' },
        { name: 'b', state: 'off', reason: expect.stringContaining('forbidden') },
      ],
    });
    client.allow(B);
    await clock.advance(10_000);
    expect(manager.status().controllers[1]).toEqual({ name: 'b', state: 'on' });
    stop.abort();
    await over;
    expect([client.openWatches, clock.pending]).toEqual([0, 0]);
  });

  it('fills its caches before it leads, and acts only then', async () => {
    const { leadership, win, log } = elections();
    const { client, clock, keys, manager, stop } = setUp({ leadership });
    await client.create(A, object('x'));
    const over = manager.run(stop.signal);
    await clock.advance(10_000);
    expect(manager.status()).toMatchObject({ isLeading: false, informers: [{ phase: 'synced' }, { phase: 'synced' }] });
    expect(keys).toEqual([]);
    win();
    await clock.settle();
    expect(keys).toEqual(['a n/x']);
    stop.abort();
    await over;
    expect(log).toEqual(['lease released']);
  });

  it('stops within the grace period: waits for reconciles, then aborts them, then releases the lease', async () => {
    const { leadership, win, log } = elections();
    const { client, clock, manager, stop } = setUp({ leadership, reconcile: () => hang, gracePeriodMs: 30_000 });
    await client.create(A, object('x'));
    const over = manager.run(stop.signal);
    win();
    await clock.settle();
    stop.abort();
    await clock.advance(14_999);
    expect(log).toEqual([]);
    await clock.advance(1);
    await over;
    expect(log).toEqual(['lease released']);
  });

  it('gives up on a reconcile that ignores its signal when the grace period is over, and names it', async () => {
    const warnings: unknown[] = [];
    const log: Logger = {
      ...silentLogger,
      named: () => log,
      with: () => log,
      warn: (_message, fields) => void warnings.push(fields),
    };
    const { client, clock, manager, stop } = setUp({ log, reconcile: () => () => new Promise(() => undefined) });
    await client.create(A, object('x'));
    const over = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.advance(30_000);
    await over;
    expect(warnings).toContainEqual({ stuck: ['a n/x'] });
  });

  it('aborts what is running at once when leadership is lost, and says so', async () => {
    const { leadership, win, lose } = elections();
    const { client, clock, manager, stop } = setUp({ leadership, reconcile: () => hang });
    await client.create(A, object('x'));
    const over = manager.run(stop.signal);
    const outcome = over.catch((error: Error) => error.message);
    win();
    await clock.settle();
    lose();
    await clock.settle();
    expect(await outcome).toBe('leadership lost');
  });

  it('ends everything when a part fails that must not', async () => {
    const parts: string[] = [];
    const { clock, manager, stop } = setUp({
      runnables: [
        { name: 'server', needsLeader: false, run: () => Promise.reject(new Error('port is taken')) },
        {
          name: 'poller',
          needsLeader: true,
          run: (signal) =>
            new Promise<void>((resolve) =>
              signal.addEventListener('abort', () => {
                parts.push('poller ended');
                resolve();
              }),
            ),
        },
      ],
    });
    const outcome = manager.run(stop.signal).catch((error: Error) => error.message);
    await clock.settle();
    expect(await outcome).toBe('port is taken');
    expect(parts).toEqual(['poller ended']);
  });

  it('runs to the end at once when it is told to stop before it starts', async () => {
    const { client, manager, stop } = setUp();
    stop.abort();
    await manager.run(stop.signal);
    expect(client.openWatches).toBe(0);
  });
});
