import { TransportError } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { createController } from './controller.ts';
import { createInformer } from './informer.ts';
import { createLeaderElector } from './leader-election.ts';
import { createLeadership } from './leadership.ts';
import { LEASES } from './lease.ts';
import { silentLogger } from './logger.ts';
import { createManager } from './manager.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { done, type Reconcile } from './reconcile.ts';
import { fromInformer } from './source.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';

const REF = { name: 'leader', namespace: 'ns' };
const KIND = { group: '', version: 'v1', plural: 'things', kind: 'Thing', isNamespaced: true } as const;

/** A process that leads, with one controller; requests about the lease can be made to fail. */
function setUp(reconcile?: Reconcile) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const metrics = createMetricsRegistry();
  const world = { clock, client, random: () => 0, log: silentLogger, metrics };
  const worked: number[] = [];
  const mayAct: boolean[] = [];
  const note: Reconcile = async () => {
    worked.push(clock.now());
    return { kind: 'requeue-after', delayMs: 1_000 };
  };
  const things = createInformer(world, { type: KIND, project: (object) => object });
  const controller = createController(world, {
    name: 'thing',
    sources: [fromInformer(things)],
    reconcile: reconcile ?? note,
  });
  const elector = createLeaderElector({ ...world, lease: REF, identity: 'a' });
  const manager = createManager(world, {
    informers: [things],
    controllers: [controller],
    leadership: createLeadership(elector),
    onMayAct: (may) => void mayAct.push(may),
  });
  const stop = new AbortController();
  const ended = manager.run(stop.signal).then(
    () => 'stopped',
    (error: Error) => error.message,
  );
  const setDown = (isDown: boolean) => {
    client.faults.onRequest = isDown
      ? () => {
          throw new TransportError('connection refused');
        }
      : undefined;
  };
  const workedSince = (at: number) => worked.filter((time) => time > at).length;
  const masterStatus = () => Number(/^leader_election_master_status\{.*\} (.)$/m.exec(metrics.text())?.[1]);
  return { clock, client, manager, controller, stop, ended, setDown, worked, workedSince, masterStatus, mayAct };
}

/** Another process takes the lease. */
async function takeLease(client: FakeClient, holderIdentity: string): Promise<void> {
  const lease = await client.get(LEASES, REF);
  const leaseTransitions = (lease.spec?.leaseTransitions ?? 0) + 1;
  await client.update(LEASES, { ...lease, spec: { ...lease.spec, holderIdentity, leaseTransitions } });
}

describe('a leader that cannot reach the API server', () => {
  it('rests after 12 s, lives on, and works again once its lease is renewed', async () => {
    const { clock, client, manager, setDown, workedSince, masterStatus, mayAct, stop, ended } = setUp();
    await client.create(KIND, { metadata: { name: 'x', namespace: 'n' } });
    await clock.advance(5_000);
    setDown(true);
    await clock.advance(13_000);
    const restedAt = clock.now();
    expect(manager.status()).toMatchObject({ isLeading: true, isSuspended: true });
    expect(masterStatus()).toBe(0);
    expect(mayAct).toEqual([false]);
    await clock.advance(600_000);
    expect(workedSince(restedAt)).toBe(0);
    setDown(false);
    await clock.advance(10_000);
    expect(manager.status()).toMatchObject({ isLeading: true, isSuspended: false });
    expect(masterStatus()).toBe(1);
    expect(mayAct).toEqual([false, true]);
    expect(workedSince(restedAt)).toBeGreaterThan(3);
    stop.abort();
    await clock.advance(1_000);
    expect(await ended).toBe('stopped');
    expect(mayAct).toEqual([false, true, false]);
  });

  it('may not act from the moment at which another process has taken its lease', async () => {
    const { clock, client, mayAct, ended } = setUp();
    await clock.advance(5_000);
    await takeLease(client, 'b');
    await clock.advance(3_000);
    expect(mayAct[0]).toBe(false);
    expect(mayAct).not.toContain(true);
    expect(await ended).toBe('leader election lost');
  });

  it('ends as soon as it sees that another process has the lease', async () => {
    const { clock, client, setDown, worked, ended } = setUp();
    await client.create(KIND, { metadata: { name: 'x', namespace: 'n' } });
    await clock.advance(5_000);
    setDown(true);
    await clock.advance(20_000);
    const before = worked.length;
    setDown(false);
    await takeLease(client, 'b');
    await clock.advance(5_000);
    expect(await ended).toBe('leader election lost');
    expect(worked).toHaveLength(before);
  });

  const gaps: Readonly<Record<string, (client: FakeClient) => Promise<void>>> = {
    'another process led and gave the lease back': async (client) => {
      await takeLease(client, 'b');
      await takeLease(client, '');
    },
    'the lease was deleted': async (client) => void (await client.delete(LEASES, REF)),
  };
  it.each(Object.entries(gaps))('ends if %s meanwhile', async (_, happen) => {
    const { clock, client, setDown, ended } = setUp();
    await clock.advance(5_000);
    setDown(true);
    await clock.advance(20_000);
    setDown(false);
    await happen(client);
    await clock.advance(5_000);
    expect(await ended).toBe('leader election lost');
  });

  it('gives up running reconciles when it rests, and takes their keys up again', async () => {
    const seen: string[] = [];
    const { clock, client, setDown, stop } = setUp((key, { signal }) => {
      seen.push(key);
      if (seen.length > 1) return Promise.resolve(done);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await client.create(KIND, { metadata: { name: 'x', namespace: 'n' } });
    await clock.advance(5_000);
    setDown(true);
    await clock.advance(60_000);
    expect(seen).toEqual(['n/x']);
    setDown(false);
    await clock.advance(5_000);
    expect(seen).toEqual(['n/x', 'n/x']);
    stop.abort();
    await clock.advance(60_000);
  });

  it('stops in order while it rests', async () => {
    const { clock, setDown, stop, ended } = setUp();
    await clock.advance(5_000);
    setDown(true);
    await clock.advance(20_000);
    stop.abort();
    await clock.advance(30_000);
    expect(await ended).toBe('stopped');
  });
});
