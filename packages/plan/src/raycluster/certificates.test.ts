import type { RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { group, headPod, NOW, observed, type ObservedOptions, worker } from '../testing/observed.ts';
import { say } from '../testing/plan-in-words.ts';
import type { PkiState } from './observed.ts';
import { planRayCluster } from './plan.ts';

const SPEC: Partial<RayClusterSpec> = { tlsOptions: { enabled: true }, workerGroupSpecs: [group({ replicas: 2 })] };
const REDIS = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };

function planned(pki: PkiState, options: ObservedOptions = {}): readonly string[] {
  const seen = observed({
    spec: SPEC,
    gates: { RayClusterMTLS: true },
    installed: { certManager: true },
    env: { ENABLE_GCS_FT_REDIS_CLEANUP: 'false' },
    ...options,
  });
  return planRayCluster({ ...seen, pki }).actions.map(say);
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
  const renewed: PkiState = { isReady: true, renewedAt: { head: NOW - 30_000, worker: NOW - 30_000 } };
  const old = { createdAt: NOW - 60_000 };
  const fresh = { createdAt: NOW - 10_000 };

  it('are replaced one by one, the oldest first', () => {
    const pods = [headPod(old), worker(0, old), worker(1, { createdAt: NOW - 90_000 })];
    expect(planned(renewed, { pods })).toEqual(['delete Pod demo-small-worker-1']);
  });

  it.each([
    ['one is going', worker(1, { ...old, isTerminating: true })],
    ['one is not ready', worker(1, { ...fresh, ready: 'False' })],
    ['one waits for a node', worker(1, { ...fresh, phase: 'Pending', ready: 'False' })],
  ])('stay while %s', (_, other) => {
    expect(planned(renewed, { pods: [headPod(old), worker(0, old), other] })).toEqual([]);
  });

  it('end with a head that finds its state again; another head stays', () => {
    const pods = [headPod(old), worker(0, fresh), worker(1, fresh)];
    expect(planned(renewed, { pods })).toEqual([]);
    expect(planned(renewed, { pods, spec: { ...SPEC, ...REDIS } })).toEqual(['delete Pod demo-head-abcde']);
  });

  it('go all at once where the authority was lost: they would not understand those who come', () => {
    const lost: PkiState = { ...renewed, authoritySince: NOW - 30_000 };
    const pods = [headPod(old), worker(0, old), worker(1, fresh)];
    expect(planned(lost, { pods })).toEqual(['delete Pod demo-head-abcde', 'delete Pod demo-small-worker-0']);
  });

  it('are all that is touched', () => {
    const pods = [headPod(fresh), worker(0, fresh), worker(1, fresh)];
    expect(planned(renewed, { pods, spec: { ...SPEC, ...REDIS } })).toEqual([]);
  });
});
