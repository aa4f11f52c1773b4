import type { CallOptions, KubeClient } from '@manta/kube';
import { ApiError, TransportError } from '@manta/kube';
import { describe, expect, test } from 'vitest';
import type { LeaderElectorOptions } from './leader-election.ts';
import { createLeaderElector, DEFAULT_TIMINGS, leaderIdentity } from './leader-election.ts';
import type { Lease } from './lease.ts';
import { LEASES } from './lease.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';

const REF = { name: 'ray-operator-leader', namespace: 'ray-system' };
const START = Date.parse('2026-08-01T12:00:00.000Z');

function setup() {
  const clock = new FakeClock(START);
  const client = new FakeClient({ clock });
  const join = (identity: string, options: Partial<LeaderElectorOptions> = {}) => {
    const metrics = createMetricsRegistry();
    const log: string[] = [];
    const elector = createLeaderElector({
      client,
      clock,
      metrics,
      identity,
      lease: REF,
      random: () => 0,
      log: silentLogger,
      ...options,
    });
    const stop = new AbortController();
    const ended = elector.run({
      signal: stop.signal,
      onLeading: () => log.push(`leading at ${(clock.now() - START) / 1000}`),
      onLost: () => log.push(`lost at ${(clock.now() - START) / 1000}`),
    });
    const status = () => Number(/^leader_election_master_status\{.*\} (.)$/m.exec(metrics.text())?.[1]);
    return { elector, metrics, log, stop: () => stop.abort(), ended, status };
  };
  const lease = (): Promise<Lease> => client.get(LEASES, REF);
  const writes = () => client.requests.filter((request) => request.verb !== 'get').map((request) => request.verb);
  return { clock, client, join, lease, writes };
}

const refuse = () => Promise.reject(new TransportError('gone'));

/** The same client with some calls done otherwise. */
function changed(client: KubeClient, calls: Partial<KubeClient>): KubeClient {
  return new Proxy(client, {
    get: (target, name) => Reflect.get(calls, name) ?? Reflect.get(target, name).bind(target),
  });
}

describe('the lease on the wire', () => {
  test('is created field for field as client-go creates it', async () => {
    const { clock, join, lease } = setup();
    join('host_1234');
    await clock.settle();
    const { apiVersion, kind, metadata, spec } = await lease();
    expect({ apiVersion, kind }).toEqual({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' });
    expect(metadata).toMatchObject(REF);
    expect(spec).toEqual({
      holderIdentity: 'host_1234',
      leaseDurationSeconds: 15,
      acquireTime: '2026-08-01T12:00:00.000000Z',
      renewTime: '2026-08-01T12:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('is asked for, renewed and released without waiting behind other requests of the operator', async () => {
    const { clock, client, join } = setup();
    const urgent: unknown[] = [];
    const noting = new Proxy(client, {
      get: (target, name) => (type: unknown, of: unknown, options?: CallOptions) => {
        urgent.push(options?.isUrgent);
        return Reflect.get(target, name).call(target, type, of, options);
      },
    });
    const { stop, ended } = join('a', { client: noting });
    await clock.advance(5000);
    stop();
    await ended;
    expect(urgent.length).toBeGreaterThan(4);
    expect(new Set(urgent)).toEqual(new Set([true]));
  });

  test('is renewed every 2 s with one write that keeps the term', async () => {
    const { clock, client, join, lease } = setup();
    join('a');
    await clock.advance(1000);
    client.requests.length = 0;
    await clock.advance(4000);
    expect(client.requests.map((request) => request.verb)).toEqual(['update', 'update']);
    expect((await lease()).spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-08-01T12:00:00.000000Z',
      renewTime: '2026-08-01T12:00:04.000000Z',
      leaseTransitions: 0,
    });
  });

  test('is given back on exit: nobody holds it, and it lasts a second', async () => {
    const { clock, join, lease } = setup();
    const a = join('a');
    await clock.advance(3000);
    a.stop();
    expect(a.elector.isLeading()).toBe(false);
    expect(await a.ended).toBe('released');
    expect((await lease()).spec).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: '2026-08-01T12:00:03.000000Z',
      renewTime: '2026-08-01T12:00:03.000000Z',
      leaseTransitions: 0,
    });
    expect(a.log).toEqual(['leading at 0']);
    expect(clock.pending).toBe(0);
  });

  test('counts a transition when it changes hands, and keeps labels that others put on it', async () => {
    const { clock, client, join, lease } = setup();
    const a = join('a');
    await clock.settle();
    a.stop();
    await a.ended;
    const released = await lease();
    await client.update(LEASES, { ...released, metadata: { ...released.metadata, labels: { keep: 'me' } } });
    join('b');
    await clock.settle();
    const taken = await lease();
    expect(taken.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 15 });
    expect(taken.metadata?.labels).toEqual({ keep: 'me' });
  });

  test('names the host and a uuid', () => expect(leaderIdentity('pod-1', 'u-u')).toBe('pod-1_u-u'));
});

describe('candidates', () => {
  test('take over at their next look after a release', async () => {
    const { clock, join } = setup();
    const a = join('a');
    await clock.settle();
    const b = join('b');
    await clock.advance(5000);
    expect([a.status(), b.status()]).toEqual([1, 0]);
    a.stop();
    await clock.advance(2000);
    expect(b.log).toEqual(['leading at 6']);
    expect([a.status(), b.status()]).toEqual([0, 1]);
  });

  test('wait a full lease after the last renewal they saw when the holder crashes', async () => {
    const { clock, client, join } = setup();
    let isCrashed = false;
    const crashing = changed(client, {
      get: (...args) => (isCrashed ? refuse() : client.get(...args)),
      update: (...args) => (isCrashed ? refuse() : client.update(...args)),
    });
    join('a', { client: crashing });
    await clock.settle();
    isCrashed = true;
    await clock.advance(1000);
    const b = join('b');
    await clock.advance(14_900);
    expect(b.log).toEqual([]);
    await clock.advance(2000);
    expect(b.log).toEqual(['leading at 17']);
  });

  test('do not care what the holder thinks the time is', async () => {
    const { clock, client, join } = setup();
    const spec = { holderIdentity: 'old', leaseDurationSeconds: 15, renewTime: '1970-01-01T00:00:00.000000Z' };
    await client.create<Lease>(LEASES, { metadata: REF, spec });
    const b = join('b');
    await clock.advance(14_000);
    expect(b.log).toEqual([]);
    await clock.advance(3000);
    expect(b.log).toEqual(['leading at 16']);
  });

  test('respect the duration that the holder announced', async () => {
    const { clock, client, join } = setup();
    await client.create<Lease>(LEASES, { metadata: REF, spec: { holderIdentity: 'old', leaseDurationSeconds: 60 } });
    const b = join('b');
    await clock.advance(59_000);
    expect(b.log).toEqual([]);
    await clock.advance(3000);
    expect(b.log).toEqual(['leading at 60']);
  });

  test('spread their tries over 2 to 4.4 s', async () => {
    const { clock, client, join } = setup();
    await client.create<Lease>(LEASES, { metadata: REF, spec: { holderIdentity: 'old', leaseDurationSeconds: 99 } });
    client.requests.length = 0;
    join('b', { random: () => 0.999 });
    await clock.advance(13_100);
    expect(client.requests).toHaveLength(3);
    await clock.advance(200);
    expect(client.requests).toHaveLength(4);
  });

  test('that are stopped while a take-over may be under way give back what they may have', async () => {
    const { clock, client, join, lease } = setup();
    const unheard = changed(client, {
      create: async (type, object, options) => {
        await client.create(type, object);
        return new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new TransportError('aborted')), { once: true });
        });
      },
    });
    const a = join('a', { client: unheard });
    await clock.settle();
    expect((await lease()).spec?.holderIdentity).toBe('a');
    a.stop();
    expect(await a.ended).toBe('stopped');
    expect((await lease()).spec?.holderIdentity).toBe('');
  });
});

describe('a leader', () => {
  test('that cannot renew stops 10 s after its first failed try, to the moment', async () => {
    const { clock, client, join } = setup();
    const a = join('a');
    await clock.settle();
    client.faults.onRequest = () => {
      throw new TransportError('connection refused');
    };
    await clock.advance(11_999);
    expect(a.log).toEqual(['leading at 0']);
    expect(a.elector.isLeading()).toBe(true);
    await clock.advance(1);
    expect(a.log).toEqual(['leading at 0', 'lost at 12']);
    expect(a.elector.isLeading()).toBe(false);
    expect(await a.ended).toBe('lost');
    expect(a.status()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('counts from when it sent the renewal, not from when the answer came', async () => {
    const { clock, client, join } = setup();
    let isDown = false;
    const slow = changed(client, {
      get: (...args) => (isDown ? refuse() : client.get(...args)),
      update: async (...args) => {
        if (isDown) throw new TransportError('down');
        const written = await client.update(...args);
        await new Promise<void>((resolve) => void clock.setTimer(4000, resolve));
        isDown = true;
        return written;
      },
    });
    const a = join('a', { client: slow });
    await clock.advance(30_000);
    expect(a.log).toEqual(['leading at 0', 'lost at 14']);
  });

  test('that sees another holder stops at once', async () => {
    const { clock, client, join, lease } = setup();
    const a = join('a');
    await clock.advance(3000);
    const held = await lease();
    await client.update<Lease>(LEASES, { ...held, spec: { ...held.spec, holderIdentity: 'admin' } });
    await clock.advance(1000);
    expect(a.log).toEqual(['leading at 0', 'lost at 4']);
    expect((await lease()).spec?.holderIdentity).toBe('admin');
  });

  test('survives errors that end before the deadline, and a conflict by reading anew', async () => {
    const { clock, client, join, lease } = setup();
    const a = join('a');
    await clock.settle();
    client.faults.onRequest = () => {
      throw new ApiError({ method: 'GET', path: '/' }, 500, 'etcd is slow');
    };
    await clock.advance(9000);
    client.faults.onRequest = undefined;
    const held = await lease();
    await client.update(LEASES, { ...held, metadata: { ...held.metadata, labels: { new: 'label' } } });
    await clock.advance(30_000);
    expect(a.log).toEqual(['leading at 0']);
    expect(a.metrics.text()).toMatch(/^leader_election_slowpath_total\{name="ray-operator-leader"\} \d$/m);
  });

  test('makes the lease again when somebody deleted it', async () => {
    const { clock, client, join, lease } = setup();
    const a = join('a');
    await clock.settle();
    await client.delete(LEASES, REF);
    await clock.advance(4000);
    expect(a.log).toEqual(['leading at 0']);
    expect((await lease()).spec?.holderIdentity).toBe('a');
  });

  test('that is stopped while the API server is away ends all the same', async () => {
    const { clock, client, join } = setup();
    const a = join('a');
    await clock.settle();
    client.faults.onRequest = () => {
      throw new TransportError('connection refused');
    };
    a.stop();
    expect(await a.ended).toBe('released');
  });
});

describe('timings that cannot work are refused', () => {
  const timings: Record<string, Partial<typeof DEFAULT_TIMINGS>> = {
    'a lease that is not longer than the renew deadline': { leaseDurationMs: 10_000 },
    'a renew deadline within the jitter of the retry period': { retryPeriodMs: 9_000 },
  };
  for (const [what, change] of Object.entries(timings)) {
    test(`${what} is refused`, () => {
      expect(() => setup().join('a', { timings: { ...DEFAULT_TIMINGS, ...change } })).toThrow(/must exceed/);
    });
  }
});
