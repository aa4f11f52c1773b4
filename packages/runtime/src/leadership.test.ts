import { TransportError } from '@manta/kube';
import { describe, expect, test } from 'vitest';
import { createLeaderElector } from './leader-election.ts';
import { createLeadership } from './leadership.ts';
import type { Lease } from './lease.ts';
import { LEASES } from './lease.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';

const LEASE = { name: 'leader', namespace: 'ns' };

function setup() {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const elector = createLeaderElector({
    client,
    clock,
    lease: LEASE,
    identity: 'me',
    random: () => 0,
    log: silentLogger,
    metrics: createMetricsRegistry(),
  });
  const stop = new AbortController();
  const holder = async () => (await client.get<Lease>(LEASES, LEASE)).spec?.holderIdentity;
  return { clock, client, stop, holder, leadership: createLeadership(elector) };
}

/** Work that notes when it is told to stop and ends when told to. */
function workThat(log: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lead = (signal: AbortSignal) => {
    log.push('started');
    signal.addEventListener('abort', () => log.push('told to stop'));
    return promise;
  };
  return { lead, finish: resolve, fail: reject };
}

describe('the work of a leader', () => {
  test('ends before the lease is given back', async () => {
    const { clock, stop, holder, leadership } = setup();
    const log: string[] = [];
    const work = workThat(log);
    const run = leadership.runWhenLeader(stop.signal, work.lead);
    await clock.advance(5000);
    stop.abort();
    await clock.advance(20_000);
    expect(log).toEqual(['started', 'told to stop']);
    expect(await holder()).toBe('me');
    work.finish();
    await run;
    expect(await holder()).toBe('');
  });

  test('is told at once when leadership is lost, and the run fails', async () => {
    const { clock, client, stop, leadership } = setup();
    const log: string[] = [];
    const work = workThat(log);
    const run = leadership.runWhenLeader(stop.signal, work.lead);
    const failure = run.catch(String);
    await clock.settle();
    client.faults.onRequest = () => {
      throw new TransportError('down');
    };
    await clock.advance(12_000);
    expect(log).toEqual(['started', 'told to stop']);
    work.finish();
    expect(await failure).toBe('LeadershipLostError: leader election lost');
  });

  test('that fails takes the lease down with it', async () => {
    const { clock, stop, holder, leadership } = setup();
    const work = workThat([]);
    const run = leadership.runWhenLeader(stop.signal, work.lead);
    const failure = run.catch(String);
    await clock.settle();
    work.fail(new Error('broken'));
    expect(await failure).toBe('Error: broken');
    expect(await holder()).toBe('');
  });

  test('never starts when we are stopped while waiting', async () => {
    const { clock, client, stop, holder, leadership } = setup();
    await client.create<Lease>(LEASES, {
      metadata: LEASE,
      spec: { holderIdentity: 'other', leaseDurationSeconds: 15 },
    });
    const log: string[] = [];
    const run = leadership.runWhenLeader(stop.signal, workThat(log).lead);
    await clock.advance(5000);
    stop.abort();
    await run;
    expect(log).toEqual([]);
    expect(await holder()).toBe('other');
  });
});
