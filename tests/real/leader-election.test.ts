import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '@manta/kube';
import { systemClock, TransportError } from '@manta/kube';
import type { Lease } from '@manta/runtime';
import { createLeaderElector, createMetricsRegistry, LEASES, leaderIdentity, silentLogger } from '@manta/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { GuardedProcess } from '../support/guarded-process.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { planeKubeClient } from './plane-kube-client.ts';

const plane = sharedControlPlane();
const { client, close } = await planeKubeClient(plane.admin);
const timings = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 };
const folder = mkdtempSync(join(tmpdir(), 'manta-election-'));
const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
  await close();
  rmSync(folder, { recursive: true });
});

function joinElection(lease: { name: string; namespace: string }, options: { client?: KubeClient } = {}) {
  const identity = leaderIdentity('test-host', randomUUID());
  const stop = new AbortController();
  const seen: string[] = [];
  const elector = createLeaderElector({
    client: options.client ?? client,
    lease,
    identity,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
    metrics: createMetricsRegistry(),
    timings,
  });
  const ended = elector.run({
    signal: stop.signal,
    onLeading: () => seen.push('leading'),
    onLost: () => seen.push('lost'),
  });
  cleanups.push(() => stop.abort());
  return { identity, seen, ended, stop: () => stop.abort(), isLeading: () => elector.isLeading() };
}

const startLease = async () => ({ name: 'leader', namespace: (await createTestNamespace(plane, 'election')).name });
const read = (lease: { name: string; namespace: string }): Promise<Lease> => client.get(LEASES, lease);

const refuse = () => Promise.reject(new TransportError('cut off'));

describe('two electors on a real API server', () => {
  test('hand over at once when the leader leaves', async () => {
    const lease = await startLease();
    const a = joinElection(lease);
    await expect.poll(a.isLeading).toBe(true);
    const b = joinElection(lease);
    await expect
      .poll(async () => (await read(lease)).spec?.renewTime, { timeout: 5000 })
      .not.toBe((await read(lease)).spec?.acquireTime);
    expect(b.isLeading()).toBe(false);
    a.stop();
    expect(await a.ended).toBe('released');
    await expect.poll(b.isLeading, { timeout: 2500 }).toBe(true);
    expect((await read(lease)).spec).toMatchObject({
      holderIdentity: b.identity,
      leaseTransitions: 1,
      leaseDurationSeconds: 3,
    });
  });

  test('hand over when the lease has run out after a crash, not before the leader has noticed', async () => {
    const lease = await startLease();
    let isCut = false;
    const cut = new Proxy(client, {
      get: (target, name) => (isCut ? refuse : Reflect.get(target, name).bind(target)),
    });
    const a = joinElection(lease, { client: cut });
    await expect.poll(a.isLeading).toBe(true);
    const b = joinElection(lease);
    isCut = true;
    await expect.poll(() => a.isLeading() || b.isLeading(), { timeout: 5000, interval: 5 }).toBe(false);
    expect(a.seen).toEqual(['leading', 'lost']);
    await expect.poll(b.isLeading, { timeout: 5000 }).toBe(true);
    expect(await a.ended).toBe('lost');
  });

  test('of many that start together, one leads', async () => {
    const lease = await startLease();
    const all = Array.from({ length: 8 }, () => joinElection(lease));
    await expect.poll(() => all.some((one) => one.isLeading())).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(all.filter((one) => one.isLeading())).toHaveLength(1);
    expect(all.flatMap((one) => one.seen)).toEqual(['leading']);
  });
});

/** kube-controller-manager elects with client-go; with nothing but an idle controller it is a candidate that does no work. */
function startGoCandidate(lease: { name: string; namespace: string }): GuardedProcess {
  const candidate = new GuardedProcess({
    command: join(plane.access.assets, 'kube-controller-manager'),
    args: [
      `--kubeconfig=${plane.adminKubeconfig.path}`,
      '--secure-port=0',
      '--controllers=bootstrap-signer-controller',
      '--leader-elect=true',
      '--leader-elect-resource-lock=leases',
      `--leader-elect-resource-name=${lease.name}`,
      `--leader-elect-resource-namespace=${lease.namespace}`,
      '--leader-elect-lease-duration=3s',
      '--leader-elect-renew-deadline=2s',
      '--leader-elect-retry-period=500ms',
    ],
    logFile: join(folder, `candidate-${randomUUID()}.log`),
    folder,
  });
  cleanups.push(() => candidate.stop('SIGKILL'));
  return candidate;
}

test('a client-go program and ours share one lease: each waits for the other and takes over from it', async () => {
  const lease = await startLease();
  const first = startGoCandidate(lease);
  await first.until('leading', async () => (await read(lease)).spec?.holderIdentity !== undefined);
  const theirs = await read(lease);
  const ours = joinElection(lease);
  await new Promise((resolve) => setTimeout(resolve, 4500));
  expect(ours.isLeading()).toBe(false);
  await first.stop('SIGKILL');
  await expect.poll(ours.isLeading, { timeout: 8000 }).toBe(true);
  const taken = await read(lease);
  expect(Object.keys(taken.spec ?? {}).toSorted()).toEqual(Object.keys(theirs.spec ?? {}).toSorted());
  expect(taken.spec).toMatchObject({ leaseTransitions: (theirs.spec?.leaseTransitions ?? 0) + 1 });

  const second = startGoCandidate(lease);
  await second.until('waiting', async () => second.logTail(500).includes('ttempting to acquire leader lease'));
  await new Promise((resolve) => setTimeout(resolve, 4500));
  expect((await read(lease)).spec?.holderIdentity).toBe(ours.identity);
  ours.stop();
  expect(await ours.ended).toBe('released');
  const holder = async () => (await read(lease)).spec?.holderIdentity ?? '';
  await second.until('leading', async () => !['', ours.identity].includes(await holder()), 10_000);
  expect((await read(lease)).spec?.leaseTransitions).toBe((taken.spec?.leaseTransitions ?? 0) + 1);
});
