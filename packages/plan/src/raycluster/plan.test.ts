import type { RayClusterSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { group, headPod, headService, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { createdWorkers, plan, say } from '../testing/plan-in-words.ts';
import { planRayCluster } from './plan.ts';

const REDIS_FINALIZER = 'ray.io/gcs-ft-redis-cleanup-finalizer';
describe('a cluster that may not be worked on', () => {
  it('is left alone when somebody else manages it, even an invalid one', () => {
    expect(plan({ spec: { managedBy: 'kueue.x-k8s.io/multikueue', headGroupSpec: { template: {} } } })).toEqual([]);
  });

  it('is told its wrong name, and then nothing else', () => {
    const name = 'x'.repeat(54);
    expect(plan({ spec: { headGroupSpec: { template: {} } }, metadata: { name } })).toEqual([
      `Warning InvalidRayClusterMetadata: The RayCluster metadata is invalid ml/${name}: RayCluster name should be no more than 53 characters`,
    ]);
  });

  it('is told the first wrong thing in its spec', () => {
    expect(plan({ spec: { headGroupSpec: { template: { spec: { containers: [] } } } } })).toEqual([
      'Warning InvalidRayClusterSpec: The RayCluster spec is invalid ml/demo: headGroupSpec should have at least one container',
    ]);
  });

  it('is refused an upgrade strategy when a RayService made it', () => {
    const labels = { 'ray.io/originated-from-crd': 'RayService' };
    expect(plan({ spec: { upgradeStrategy: { type: 'Recreate' } }, metadata: { labels } })).toEqual([
      'Warning InvalidRayClusterSpec: The RayCluster UpgradeStrategy is invalid ml/demo: upgradeStrategy cannot be set when RayCluster is created by RayService',
    ]);
  });
});

describe('a cluster without a spec', () => {
  it('is told so', () => {
    expect(planRayCluster(withoutSpec()).actions.map(say)).toEqual([
      'Warning InvalidRayClusterSpec: The RayCluster spec is invalid ml/demo: headGroupSpec should have at least one container',
    ]);
  });

  it('can be deleted', () => {
    const metadata = { deletionTimestamp: '2026-08-01T11:59:00Z', finalizers: [REDIS_FINALIZER] };
    expect(planRayCluster(withoutSpec({ metadata })).actions.map(say)).toEqual(['patch RayCluster demo']);
  });

  function withoutSpec(options: ObservedOptions = {}) {
    const seen = observed(options);
    const { spec: _, ...cluster } = seen.cluster;
    return { ...seen, cluster };
  }
});

describe('the pods of a cluster', () => {
  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'service, head and workers are made in one pass',
      { spec: { workerGroupSpecs: [group({ replicas: 2 })] }, children: { services: [] } },
      ['create Service demo-head-svc', 'create Pod demo-head-?', 'create Pod demo-small-worker-? demo-small-worker-?'],
    ],
    ['nothing is done when all is there', { spec: { workerGroupSpecs: [group()] }, pods: [headPod(), worker(0)] }, []],
    [
      'a head that ended is deleted, and workers wait for the next pass',
      { spec: { workerGroupSpecs: [group()] }, pods: [headPod({ phase: 'Failed' })] },
      ['delete Pod demo-head-abcde'],
    ],
    ['a head that is going keeps its place', { pods: [headPod({ isTerminating: true })] }, []],
    [
      'of two heads neither is touched, the user is told, and workers are made',
      {
        spec: { workerGroupSpecs: [group()] },
        pods: [headPod({ name: 'one' }), headPod({ name: 'two' })],
      },
      [
        'Warning MultipleHeadPods: There are 2 head Pods: ml/one, ml/two. Delete those that the workers do not use',
        'create Pod demo-small-worker-?',
      ],
    ],
    [
      'a head that is going makes no second head of the one that stays',
      { pods: [headPod({ name: 'old', isTerminating: true }), headPod({ name: 'new', phase: 'Failed' })] },
      ['delete Pod new'],
    ],
    [
      'what goes makes room before anything is asked for',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2 }), group({ groupName: 'big', replicas: 0 })] },
        pods: [headPod(), worker(0), worker(0, { name: 'b', group: 'big' }), worker(0, { name: 'l', group: 'lost' })],
      },
      ['delete Pod b', 'delete Pod l', 'create Pod demo-small-worker-?'],
    ],
    [
      'a provisioned head that may not come back stays away, and its workers as they are',
      {
        spec: { workerGroupSpecs: [group({ replicas: 3 })] },
        metadata: { annotations: { 'ray.io/disable-provisioned-head-restart': 'true' } },
        status: {
          conditions: [
            { type: 'RayClusterProvisioned', status: 'True', reason: 'x', message: '', lastTransitionTime: '' },
          ],
        },
      },
      [],
    ],
    [
      'a worker that ended is deleted and replaced only when it is gone',
      { spec: { workerGroupSpecs: [group({ replicas: 2 })] }, pods: [headPod(), worker(0, { phase: 'Succeeded' })] },
      ['delete Pod demo-small-worker-0'],
    ],
    [
      'a worker whose Ray ended for good is deleted',
      {
        spec: { workerGroupSpecs: [group()] },
        pods: [headPod(), worker(0, { rayTerminated: 'x', restartPolicy: 'Never' })],
      },
      ['delete Pod demo-small-worker-0'],
    ],
    [
      'a worker whose Ray may restart is kept',
      { spec: { workerGroupSpecs: [group()] }, pods: [headPod(), worker(0, { rayTerminated: 'x' })] },
      [],
    ],
    [
      'a worker that is going is not replaced before it is gone',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2 })] },
        pods: [headPod(), worker(0), worker(1, { isTerminating: true })],
      },
      [],
    ],
    [
      'a worker that takes long to end does not hold up the growth of its group',
      {
        spec: { workerGroupSpecs: [group({ replicas: 3 })] },
        pods: [headPod(), worker(0), worker(1, { isTerminating: true })],
      },
      ['create Pod demo-small-worker-?'],
    ],
    [
      'nor does one that has failed and does not end keep another from being replaced',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2 })] },
        pods: [headPod(), worker(0, { phase: 'Failed', isTerminating: true })],
      },
      ['create Pod demo-small-worker-?'],
    ],
    [
      'a worker that is going already is not deleted again for being named',
      {
        spec: { workerGroupSpecs: [group({ scaleStrategy: { workersToDelete: ['demo-small-worker-1'] } })] },
        pods: [headPod(), worker(0), worker(1, { isTerminating: true })],
      },
      [],
    ],
    [
      'pods of a group that is no longer in the spec are removed',
      { pods: [headPod(), worker(0)] },
      ['delete Pod demo-small-worker-0'],
    ],
    [
      'pods that merely carry the labels of a lost group are not ours to remove',
      { pods: [headPod(), worker(0, { owner: 'else' })] },
      [],
    ],
    [
      'a suspended group is emptied',
      { spec: { workerGroupSpecs: [group({ suspend: true })] }, pods: [headPod(), worker(0)] },
      [
        'delete Pod demo-small-worker-0',
        'Normal DeletedWorkerPod: Deleted all pods for suspended worker group small in RayCluster ml/demo',
      ],
    ],
    [
      'a group that is suspended from the start is told of',
      { spec: { workerGroupSpecs: [group({ suspend: true })] }, pods: [headPod()] },
      ['Normal DeletedWorkerPod: Deleted all pods for suspended worker group small in RayCluster ml/demo'],
    ],
    [
      'and not again and again',
      { spec: { workerGroupSpecs: [group({ suspend: true })] }, pods: [headPod()], status: { observedGeneration: 1 } },
      [],
    ],
    [
      'nor when another head is made',
      { spec: { workerGroupSpecs: [group({ suspend: true })] }, status: { observedGeneration: 1 } },
      ['create Pod demo-head-?'],
    ],
    [
      'a suspended group that is called like that of the head does not take the head with it',
      {
        spec: { workerGroupSpecs: [group({ groupName: 'headgroup', suspend: true })] },
        pods: [headPod(), worker(0, { group: 'headgroup' })],
      },
      [
        'delete Pod demo-small-worker-0',
        'Normal DeletedWorkerPod: Deleted all pods for suspended worker group headgroup in RayCluster ml/demo',
      ],
    ],
    [
      'one sick group does not keep another from its pods',
      {
        spec: { workerGroupSpecs: [group(), group({ groupName: 'big' })] },
        pods: [headPod(), worker(0, { phase: 'Failed' })],
      },
      ['delete Pod demo-small-worker-0', 'create Pod demo-big-worker-?'],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });

  it('a group of any size is made in portions', () => {
    const huge = {
      enableInTreeAutoscaling: true,
      workerGroupSpecs: [group({ replicas: 2 ** 31 - 1, maxReplicas: 2 ** 31 - 1 })],
    };
    expect(createdWorkers({ spec: huge, pods: [headPod()] })).toHaveLength(1000);
  });

  it('many groups of any size are made in portions, too, and each gets its share', () => {
    const groups = Array.from({ length: 200 }, (_, i) =>
      group({ groupName: `g${i}`, replicas: 100_000, maxReplicas: 100_000, numOfHosts: 1 + (i % 2) }),
    );
    const created = createdWorkers({ spec: { workerGroupSpecs: groups }, pods: [headPod()] });
    expect(created).toHaveLength(4000);
    expect(new Set(created.map((name) => name.split('-')[1])).size).toBe(200);
  });
});

describe('scaling down', () => {
  const three = [headPod(), worker(0), worker(1, { ready: 'False' }), worker(2)];
  const autoscaled: Partial<RayClusterSpec> = { enableInTreeAutoscaling: true };
  const access = { serviceAccounts: [named('demo')], roles: [named('demo')], roleBindings: [named('demo')] };

  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'takes what does not work first',
      { spec: { workerGroupSpecs: [group({ replicas: 2 })] }, pods: three },
      ['delete Pod demo-small-worker-1'],
    ],
    [
      'then the highest index',
      { spec: { workerGroupSpecs: [group({ replicas: 1 })] }, pods: three },
      ['delete Pod demo-small-worker-1', 'delete Pod demo-small-worker-2'],
    ],
    [
      'of replicas that had several hosts leaves one of each, so that no number is there twice',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2 })] },
        pods: [
          headPod(),
          ...[0, 1].flatMap((index) =>
            [0, 1].map((hostIndex) =>
              worker(index, { name: `r${index}h${hostIndex}`, replicaName: `small-${index}`, hostIndex }),
            ),
          ),
        ],
      },
      ['delete Pod r1h1', 'delete Pod r0h1'],
    ],
    [
      'of such replicas leaves one of each also where a first host does not work',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2 })] },
        pods: [
          headPod(),
          worker(0, { name: 'r0h0', hostIndex: 0, ready: 'True' }),
          worker(0, { name: 'r0h1', hostIndex: 1, ready: 'True' }),
          worker(1, { name: 'r1h0', hostIndex: 0, ready: 'False' }),
          worker(1, { name: 'r1h1', hostIndex: 1, ready: 'True' }),
        ],
      },
      ['delete Pod r1h1', 'delete Pod r0h1'],
    ],
    [
      'counts what is going already',
      {
        spec: { workerGroupSpecs: [group({ replicas: 2 })] },
        pods: [headPod(), worker(0, { isTerminating: true }), worker(1), worker(2)],
      },
      [],
    ],
    [
      'leaves the choice to the autoscaler',
      { spec: { ...autoscaled, workerGroupSpecs: [group({ replicas: 1 })] }, pods: three, children: access },
      [],
    ],
    [
      'removes what the autoscaler names',
      {
        spec: {
          ...autoscaled,
          workerGroupSpecs: [group({ replicas: 2, scaleStrategy: { workersToDelete: ['demo-small-worker-0'] } })],
        },
        pods: three,
        children: access,
      },
      ['delete Pod demo-small-worker-0'],
    ],
    [
      'does not touch a pod of that name which is not of the group',
      {
        spec: { workerGroupSpecs: [group({ scaleStrategy: { workersToDelete: ['stranger'] } })] },
        pods: [headPod(), worker(0)],
      },
      [],
    ],
    [
      'chooses in spite of the autoscaler where the installation says so',
      {
        spec: { ...autoscaled, workerGroupSpecs: [group({ replicas: 2 })] },
        pods: three,
        children: access,
        env: { ENABLE_RANDOM_POD_DELETE: 'true' },
      },
      ['delete Pod demo-small-worker-1'],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});

describe('suspension', () => {
  const is = (type: string) => ({
    conditions: [{ type, status: 'True', reason: type, message: '', lastTransitionTime: '' } as const],
  });
  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'pods that another object controls, or nobody, are not deleted for their labels',
      {
        status: is('RayClusterSuspending'),
        pods: [headPod(), worker(0, { owner: undefined }), worker(1, { owner: 'else' })],
      },
      ['delete Pod demo-head-abcde', 'Normal DeletedPod: Deleted Pods for RayCluster ml/demo due to suspension'],
    ],
    ['a suspension that was only asked for touches nothing yet', { spec: { suspend: true }, pods: [headPod()] }, []],
    [
      'one that has begun is carried out even when it is no longer wanted',
      { status: is('RayClusterSuspending'), pods: [headPod()] },
      ['delete Pod demo-head-abcde', 'Normal DeletedPod: Deleted Pods for RayCluster ml/demo due to suspension'],
    ],
    [
      'one that has begun is carried out even when other objects of the cluster are in trouble',
      {
        status: is('RayClusterSuspending'),
        pods: [headPod()],
        children: { services: [headService(), headService({ name: 'second' })] },
      },
      [
        'delete Pod demo-head-abcde',
        'Normal DeletedPod: Deleted Pods for RayCluster ml/demo due to suspension',
        'fail: 2 head service found [demo-head-svc second]. Please delete the extra head services',
      ],
    ],
    [
      'nor is one without pods kept from being told of',
      { spec: { suspend: true }, children: { services: [headService(), headService({ name: 'second' })] } },
      [
        'Normal DeletedPod: Deleted Pods for RayCluster ml/demo due to suspension',
        'fail: 2 head service found [demo-head-svc second]. Please delete the extra head services',
      ],
    ],
    [
      'pods that are going are not deleted again',
      { status: is('RayClusterSuspending'), pods: [headPod({ isTerminating: true })] },
      [],
    ],
    [
      'a cluster that never had a pod is told of, too',
      { spec: { suspend: true } },
      ['Normal DeletedPod: Deleted Pods for RayCluster ml/demo due to suspension'],
    ],
    [
      'one whose pods are gone was told of when they went, the head before the others or after',
      { spec: { suspend: true }, status: is('RayClusterSuspending') },
      [],
    ],
    [
      'nor is one that has been suspended for long',
      { spec: { suspend: true }, status: { ...is('RayClusterSuspended'), state: 'suspended' } },
      [],
    ],
    [
      'nor without conditions',
      { spec: { suspend: true }, status: { state: 'suspended' }, gates: { RayClusterStatusConditions: false } },
      [],
    ],
    ['a suspended cluster has no pods', { status: is('RayClusterSuspended') }, []],
    [
      'a pod that comes after the suspension has ended is removed',
      { spec: { suspend: true }, status: is('RayClusterSuspended'), pods: [headPod()] },
      ['delete Pod demo-head-abcde', 'Normal DeletedPod: Deleted Pods for RayCluster ml/demo due to suspension'],
    ],
    [
      'without conditions the spec alone decides',
      { spec: { suspend: true }, pods: [headPod()], gates: { RayClusterStatusConditions: false } },
      ['delete Pod demo-head-abcde', 'Normal DeletedPod: Deleted Pods for RayCluster ml/demo due to suspension'],
    ],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});

describe('Recreate', () => {
  const spec = { upgradeStrategy: { type: 'Recreate' } } as const;
  const stamped = (recreateHash: string, operatorVersion: string) =>
    headPod({ head: { readiness: { status: 'True', reason: 'x', message: '' }, recreateHash, operatorVersion } });
  it.each<[string, ObservedOptions, readonly string[]]>([
    [
      'takes everything down when the spec has changed',
      { spec, pods: [stamped(`m3-${'0'.repeat(40)}`, '0.0.0-test')] },
      [
        'delete Pod demo-head-abcde',
        'Normal DeletedPod: Deleted all Pods for RayCluster ml/demo due to spec change with Recreate upgradeStrategy',
      ],
    ],
    [
      'takes the workers down before the head, which carries the mark',
      { spec, pods: [stamped(`m3-${'0'.repeat(40)}`, '0.0.0-test'), worker(0)] },
      [
        'delete Pod demo-small-worker-0',
        'delete Pod demo-head-abcde',
        'Normal DeletedPod: Deleted all Pods for RayCluster ml/demo due to spec change with Recreate upgradeStrategy',
      ],
    ],
    [
      "takes another operator's head over and puts our stamp on it",
      { spec, pods: [stamped('ABC', 'v1.6.0')] },
      ['patch Pod demo-head-abcde'],
    ],
    ['does nothing where the strategy is another', { pods: [stamped(`m3-${'0'.repeat(40)}`, '0.0.0-test')] }, []],
  ])('%s', (_, options, expected) => {
    expect(plan(options)).toEqual(expected);
  });
});

function named(name: string) {
  return { name, uid: `uid-${name}`, owner: 'cluster-uid' };
}
