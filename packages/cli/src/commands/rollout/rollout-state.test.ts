import type { RayCluster, RayService } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { clusterRollout, serviceRollout } from './rollout-state.ts';

const condition = (type: string, status: 'True' | 'False', reason = 'R', message = 'm') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const service = (status: RayService['status'], extra: Partial<RayService['metadata']> = {}): RayService => ({
  metadata: { name: 's', generation: 2, ...extra },
  status: { observedGeneration: 2, ...status },
});

describe('serviceRollout()', () => {
  it.each<[string, RayService, string, RegExp]>([
    ['a spec that nobody read', service({ observedGeneration: 1 }), 'under way', /newest spec/],
    [
      'a ready service',
      service({ conditions: [condition('Ready', 'True')], activeServiceStatus: { rayClusterName: 'a' } }),
      'done',
      /cluster a serves/,
    ],
    [
      'traffic that moves',
      service({
        conditions: [condition('Ready', 'True')],
        pendingServiceStatus: { rayClusterName: 'b', trafficRoutedPercent: 40, targetCapacity: 60 },
      }),
      'under way',
      /pending cluster b: 40 % of traffic, 60 % of capacity/,
    ],
    [
      'a pending cluster that starts',
      service({ pendingServiceStatus: { rayClusterName: 'b' } }),
      'under way',
      /pending cluster b starts/,
    ],
    [
      'an invalid spec',
      service({ conditions: [condition('Ready', 'False', 'ValidationFailed', 'no gateway')] }),
      'failed',
      /ValidationFailed: no gateway/,
    ],
    ['a rollback', service({ conditions: [condition('RollbackInProgress', 'True')] }), 'failed', /rolls back/],
    [
      'an upgrade that was rolled back',
      service({ conditions: [condition('Ready', 'True')] }, { annotations: { 'ray.io/failed-upgrade': 'x' } }),
      'failed',
      /made no progress/,
    ],
  ])('judges %s', (_, object, kind, text) => {
    expect(serviceRollout(object)).toEqual({ kind, text: expect.stringMatching(text) });
  });
});

describe('clusterRollout()', () => {
  const cluster = (status: NonNullable<RayCluster['status']>): RayCluster => ({
    metadata: { name: 'c', generation: 1 },
    status,
  });
  it.each<[string, RayCluster, string]>([
    [
      'all workers ready',
      cluster({
        observedGeneration: 1,
        state: 'ready',
        desiredWorkerReplicas: 2,
        readyWorkerReplicas: 2,
        conditions: [condition('RayClusterProvisioned', 'True')],
      }),
      'done',
    ],
    [
      'a missing worker',
      cluster({ observedGeneration: 1, state: 'ready', desiredWorkerReplicas: 2, readyWorkerReplicas: 1 }),
      'under way',
    ],
    ['an unseen spec', cluster({}), 'under way'],
  ])('judges %s', (_, object, kind) => {
    expect(clusterRollout(object).kind).toBe(kind);
  });
});
