import { describe, expect, it } from 'vitest';
import { group, HEAD, headPod, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { plan } from '../testing/plan-in-words.ts';
import { planRayCluster } from './plan.ts';

const REDIS_FINALIZER = 'ray.io/gcs-ft-redis-cleanup-finalizer';

describe('deletion', () => {
  const redis = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };
  const finalizers = [REDIS_FINALIZER];
  const deleted = { deletionTimestamp: '2026-08-01T11:59:00Z', finalizers };
  it.each<[string, ObservedOptions, readonly string[]]>([
    ['the finalizer comes before the first pod', { spec: redis }, ['patch RayCluster demo', 'create Pod demo-head-?']],
    [
      'a cluster without a finalizer of ours just goes',
      { metadata: { deletionTimestamp: '2026-08-01T11:59:00Z' }, pods: [headPod()] },
      [],
    ],
    [
      'the pods go first',
      { spec: redis, metadata: deleted, pods: [headPod(), worker(0)] },
      ['delete Pod demo-head-abcde', 'delete Pod demo-small-worker-0'],
    ],
    [
      'a pod that only carries the labels of the head delays nothing and stays',
      { spec: redis, metadata: deleted, pods: [headPod({ owner: undefined })] },
      ['create Job demo-redis-cleanup'],
    ],
    [
      'the Job waits until the head is gone',
      { spec: redis, metadata: deleted, pods: [headPod({ isTerminating: true })] },
      [],
    ],
    ['then Redis is cleaned', { spec: redis, metadata: deleted }, ['create Job demo-redis-cleanup']],
    [
      'in a foreground deletion the Job waits until Kubernetes has deleted the rest, since it would be deleted too',
      { spec: redis, metadata: { ...deleted, finalizers: [...finalizers, 'foregroundDeletion'] }, pods: [worker(0)] },
      ['delete Pod demo-small-worker-0'],
    ],
    [
      'a Job of an earlier cluster of that name has cleaned nothing of this one',
      {
        spec: redis,
        metadata: deleted,
        children: { cleanupJobs: [{ ...named('demo-redis-cleanup'), owner: 'earlier', outcome: 'Complete' }] },
      },
      ['create Job demo-redis-cleanup'],
    ],
    [
      'a finished Job lets the cluster go, however it finished',
      {
        spec: redis,
        metadata: deleted,
        children: { cleanupJobs: [{ ...named('demo-redis-cleanup'), outcome: 'Failed' }] },
      },
      ['patch RayCluster demo'],
    ],
    [
      'after the deadline it goes in any case, also with a head that does not die',
      {
        spec: redis,
        metadata: { ...deleted, deletionTimestamp: '2026-08-01T11:00:00Z' },
        pods: [headPod({ isTerminating: true })],
      },
      ['patch RayCluster demo'],
    ],
    [
      'a cluster that no longer uses Redis goes without a Job',
      { metadata: deleted, pods: [headPod()] },
      ['patch RayCluster demo'],
    ],
    [
      'what else has become wrong with the spec does not keep Redis from being cleaned',
      { spec: { ...redis, workerGroupSpecs: [group({ minReplicas: -1 })] }, metadata: deleted },
      ['create Job demo-redis-cleanup'],
    ],
    [
      'nor does a status that contradicts itself',
      {
        spec: redis,
        metadata: deleted,
        status: {
          conditions: ['RayClusterSuspending', 'RayClusterSuspended'].map((type) => ({
            type,
            status: 'True' as const,
            reason: type,
            message: '',
            lastTransitionTime: '',
          })),
        },
      },
      ['create Job demo-redis-cleanup'],
    ],
    [
      'a cluster that was handed over to another manager goes as well',
      { spec: { ...redis, managedBy: 'kueue.x-k8s.io/multikueue' }, metadata: deleted, pods: [headPod()] },
      ['delete Pod demo-head-abcde'],
    ],
    [
      'a cluster without a container in its head goes too',
      { spec: { ...redis, headGroupSpec: { ...HEAD, template: { spec: { containers: [] } } } }, metadata: deleted },
      ['patch RayCluster demo'],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});

describe('a deleted cluster whose Redis cannot be cleaned', () => {
  const plannedAt = (deletionTimestamp: string) =>
    planRayCluster(observed({ metadata: { deletionTimestamp, finalizers: [REDIS_FINALIZER] } }));

  it('keeps its finalizer for two seconds, so that clients see the deletion', () => {
    expect(plannedAt('2026-08-01T12:00:00Z')).toMatchObject({ actions: [], requeueAfterMs: 2000 });
    expect(plannedAt('2026-08-01T11:59:59Z')).toMatchObject({ actions: [], requeueAfterMs: 1000 });
    expect(plannedAt('2026-08-01T11:59:58Z').actions).toMatchObject([{ type: 'patch', kind: 'RayCluster' }]);
  });

  it('is not kept by a server whose clock is ahead', () => {
    expect(plannedAt('2026-08-01T13:00:00Z').actions).toMatchObject([{ type: 'patch', kind: 'RayCluster' }]);
  });
});

describe('a deletion in which something is refused', () => {
  const deleted = { deletionTimestamp: '2026-08-01T11:59:00Z', finalizers: [REDIS_FINALIZER] };
  const options: ObservedOptions = {
    spec: { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } },
    metadata: deleted,
  };

  it.each<[string, ObservedOptions]>([
    ['the end of pods', { pods: [headPod(), worker(0)] }],
    ['the Job', {}],
  ])('goes on without %s and is looked at again soon', (_, more) => {
    const { actions, requeueAfterMs } = planRayCluster(observed({ ...options, ...more }));
    expect(actions).not.toEqual([]);
    expect(actions.every((action) => 'isOptional' in action && action.isOptional)).toBe(true);
    expect(requeueAfterMs).toBe(10_000);
  });

  it('is looked at again in time when its time is nearly over', () => {
    const metadata = { ...deleted, deletionTimestamp: '2026-08-01T11:55:03Z' };
    expect(planRayCluster(observed({ ...options, metadata })).requeueAfterMs).toBe(3001);
  });

  it.each<[string, ObservedOptions, string]>([
    [
      'a Job that failed',
      { children: { cleanupJobs: [{ ...named('demo-redis-cleanup'), outcome: 'Failed' }] } },
      'Redis cleanup Job ml/demo-redis-cleanup failed; Redis storage namespace "cluster-uid" may need manual cleanup',
    ],
    [
      'a spec that no longer uses Redis',
      { spec: {} },
      'The spec no longer says how to clean Redis; Redis storage namespace "cluster-uid" may need manual cleanup',
    ],
    [
      'an operator that does not clean it',
      { env: { ENABLE_GCS_FT_REDIS_CLEANUP: 'false' } },
      'This operator does not clean Redis (ENABLE_GCS_FT_REDIS_CLEANUP is false); Redis storage namespace "cluster-uid" may need manual cleanup',
    ],
    [
      'a head that was told its namespace by a variable',
      { spec: { headGroupSpec: headWithEnv('RAY_external_storage_namespace', 'mine') } },
      'The spec no longer says how to clean Redis; Redis storage namespace "mine" may need manual cleanup',
    ],
  ])('tells what is left in Redis by %s', (_, more, note) => {
    const [action] = planRayCluster(observed({ ...options, ...more })).actions;
    expect(action).toMatchObject({
      type: 'patch',
      done: { severity: 'Warning', reason: 'RedisStateLeftBehind', note },
    });
  });
});

it('the finalizer is all that is written on a cluster', () => {
  const spec = { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } };
  const [action] = planRayCluster(observed({ spec, metadata: { finalizers: ['theirs'] } })).actions;
  expect(action).toMatchObject({ type: 'patch', kind: 'RayCluster' });
  expect(action?.type === 'patch' && action.patch).toEqual({
    metadata: { resourceVersion: expect.anything(), finalizers: ['theirs', REDIS_FINALIZER] },
  });
});

function headWithEnv(name: string, value: string) {
  const [container] = HEAD.template.spec.containers;
  return { ...HEAD, template: { spec: { containers: [{ name: 'ray', ...container, env: [{ name, value }] }] } } };
}

function named(name: string) {
  return { name, uid: `uid-${name}`, owner: 'cluster-uid' };
}
