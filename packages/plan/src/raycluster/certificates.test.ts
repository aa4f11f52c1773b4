import type { RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { Action } from '../plan.ts';
import { group, headPod, NOW, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { say } from '../testing/plan-in-words.ts';
import type { LeafState, PkiState, PodRecord } from './observed.ts';
import { planRayCluster } from './plan.ts';

const SPEC: Partial<RayClusterSpec> = { tlsOptions: { enabled: true }, workerGroupSpecs: [group({ replicas: 2 })] };
const REDIS = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };

const DAY_MS = 86_400_000;
const ONLY_HEAD: ObservedOptions = {
  metadata: { annotations: { 'ray.io/disable-provisioned-head-restart': 'true' } },
  status: {
    conditions: [{ type: 'RayClusterProvisioned', status: 'True', reason: 'x', message: '', lastTransitionTime: '' }],
  },
};

function planned(pki: PkiState, options: ObservedOptions = {}): readonly string[] {
  return actions(pki, options).map(say);
}

function actions(pki: PkiState, options: ObservedOptions = {}): readonly Action[] {
  const seen = observed({
    spec: SPEC,
    gates: { RayClusterMTLS: true },
    installed: { certManager: true },
    env: { ENABLE_GCS_FT_REDIS_CLEANUP: 'false' },
    ...options,
  });
  return planRayCluster({ ...seen, pki }).actions;
}

const WAITING: PkiState = { isReady: false, why: 'secret ray-head-secret-demo not found' };
const WAIT = 'wait 5000 ms: mTLS secrets not ready: secret ray-head-secret-demo not found';

describe('pods of a cluster with mutual TLS', () => {
  it('come when their certificates are there', () => {
    expect(planned(WAITING)).toEqual([WAIT]);
    expect(planned({ isReady: true })).toEqual([
      'create Pod demo-head-?',
      expect.stringContaining('create Pod demo-small'),
    ]);
  });

  it('go all the same', () => {
    const pods = [headPod(), worker(0), worker(1), worker(2)];
    expect(planned(WAITING, { pods })).toEqual(['delete Pod demo-small-worker-2']);
    expect(planned(WAITING, { pods: pods.slice(0, 3) })).toEqual([]);
  });
});

describe('pods whose certificate was renewed', () => {
  const RENEWED_AT = '2026-08-01T11:59:30Z';
  const leaf: LeafState = {
    authority: 'ca',
    renewedAt: RENEWED_AT,
    authoritySince: undefined,
    formerEnd: NOW + 14 * DAY_MS,
  };
  const state = (differences: Partial<LeafState> = {}): PkiState => {
    const both = { ...leaf, ...differences };
    return { isReady: true, own: { head: both, worker: both } };
  };
  const renewed = state();
  const old = { createdAt: NOW - 60_000, tlsAuthority: 'ca' };
  const fresh = { createdAt: NOW - 10_000, tlsAuthority: 'ca', tlsRenewedAt: RENEWED_AT };

  it('are replaced one by one, the oldest first', () => {
    const pods = [headPod(old), worker(0, old), worker(1, { ...old, createdAt: NOW - 90_000 })];
    expect(planned(renewed, { pods })).toEqual(['delete Pod demo-small-worker-1']);
  });

  it('say which they have, so that whose clock is right does not matter', () => {
    const created = actions(renewed).flatMap((action) => (action.type === 'create' ? action.objects : []));
    expect(created).toHaveLength(3);
    for (const { metadata } of created)
      expect(metadata?.annotations).toMatchObject({
        'ray.io/tls-authority': 'ca',
        'ray.io/tls-renewed-at': RENEWED_AT,
      });
    const behind = { ...fresh, createdAt: NOW - 3_600_000 };
    expect(planned(renewed, { pods: [headPod(behind), worker(0, behind), worker(1, behind)] })).toEqual([]);
    const ahead = { ...old, createdAt: NOW + 3_600_000 };
    expect(planned(renewed, { pods: [headPod(fresh), worker(0, ahead), worker(1, fresh)] })).toEqual([
      'delete Pod demo-small-worker-0',
    ]);
  });

  it('are known by their age where they do not say', () => {
    const unmarked = { createdAt: NOW - 60_000 };
    const pods = [headPod(fresh), worker(0, unmarked), worker(1, { createdAt: NOW - 10_000 })];
    expect(planned(renewed, { pods })).toEqual(['delete Pod demo-small-worker-0']);
  });

  it.each([
    ['one is going', worker(1, { ...old, isTerminating: true })],
    ['one is not ready', worker(1, { ...fresh, ready: 'False' })],
    ['one waits for a node', worker(1, { ...fresh, phase: 'Pending', ready: 'False' })],
  ])('stay while %s', (_, other) => {
    expect(planned(renewed, { pods: [headPod(old), worker(0, old), other] })).toEqual([]);
  });

  it.each<[string, number, PodRecord, readonly string[]]>([
    [
      'one that waits for a node holds up nobody in the last days',
      4,
      worker(1, { ...fresh, createdAt: NOW - DAY_MS, phase: 'Pending', ready: 'False' }),
      ['delete Pod demo-small-worker-0'],
    ],
    ['one that has just come is waited for all the same', 4, worker(1, { ...fresh, ready: 'False' }), []],
    ['so is one that is going', 4, worker(1, { ...old, isTerminating: true }), []],
    ['but not on the last day', 0.5, worker(1, { ...old, isTerminating: true }), ['delete Pod demo-small-worker-0']],
  ])('%s', (_, days, other, expected) => {
    const pods = [headPod(fresh), worker(0, old), other];
    expect(planned(state({ formerEnd: NOW + days * DAY_MS }), { pods })).toEqual(expected);
  });

  it('end with a head that finds its state again; another head stays', () => {
    const pods = [headPod(old), worker(0, fresh), worker(1, fresh)];
    expect(planned(renewed, { pods })).toEqual([]);
    expect(planned(renewed, { pods, spec: { ...SPEC, ...REDIS } })).toEqual(['delete Pod demo-head-abcde']);
    expect(planned(renewed, { pods, spec: { ...SPEC, ...REDIS }, ...ONLY_HEAD })).toEqual([]);
  });

  it.each([
    ['by their marks', 'other', undefined],
    ['by their age', undefined, RENEWED_AT],
  ])('go all at once where the authority was lost, known %s: they would not understand those who come', (...given) => {
    const [, tlsAuthority, authoritySince] = given;
    const stranger = { createdAt: NOW - 60_000, tlsAuthority };
    const pods = [headPod(stranger), worker(0, stranger), worker(1, fresh)];
    expect(planned(state({ authoritySince }), { pods })).toEqual([
      'delete Pod demo-head-abcde',
      'delete Pod demo-small-worker-0',
    ]);
    expect(planned(state({ authoritySince }), { pods, ...ONLY_HEAD })).toEqual([
      expect.stringMatching(/^Warning MTLSFailedToReconcile: .* ml\/demo was lost, and its head may not be made anew/),
    ]);
  });

  it('are all that is touched', () => {
    const pods = [headPod(fresh), worker(0, fresh), worker(1, fresh)];
    expect(planned(renewed, { pods, spec: { ...SPEC, ...REDIS } })).toEqual([]);
    const anothers = worker(2, { ...old, owner: 'another' });
    expect(planned(renewed, { pods: [headPod(fresh), worker(0, fresh), anothers] })).not.toContain(
      'delete Pod demo-small-worker-2',
    );
  });
});
