import { describe, expect, it } from 'vitest';
import { group, headPod, headService, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { clusterStateOf } from './cluster-state.ts';
import { rayClusterStatus } from './status.ts';

const DONE = { kind: 'done' } as const;

function status(options: ObservedOptions, outcome: Parameters<typeof rayClusterStatus>[1] = DONE) {
  const seen = observed(options);
  return rayClusterStatus(
    clusterStateOf(seen, seen.cluster, seen.cluster.spec ?? { headGroupSpec: { template: {} } }),
    outcome,
  );
}
const conditions = (result: ReturnType<typeof status>) =>
  result?.conditions?.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);

describe('rayClusterStatus()', () => {
  const running: ObservedOptions = {
    spec: { workerGroupSpecs: [group({ replicas: 2 })] },
    pods: [headPod(), worker(0), worker(1)],
  };

  it('is ready and provisioned when every pod runs', () => {
    const result = status(running);
    expect(result).toMatchObject({
      state: 'ready',
      desiredWorkerReplicas: 2,
      readyWorkerReplicas: 2,
      availableWorkerReplicas: 2,
      maxWorkerReplicas: 10,
      observedGeneration: 1,
      head: { podIP: '10.0.0.1', podName: 'demo-head-abcde', serviceIP: '10.0.0.1', serviceName: 'demo-head-svc' },
      endpoints: { dashboard: '8265' },
      lastUpdateTime: '2026-08-01T12:00:00Z',
      stateTransitionTimes: { ready: '2026-08-01T12:00:00Z' },
    });
    expect(conditions(result)).toEqual([
      'HeadPodReady=True HeadPodRunningAndReady',
      'RayClusterProvisioned=True AllPodRunningAndReadyFirstTime',
      'RayClusterSuspended=False RayClusterSuspended',
      'RayClusterSuspending=False RayClusterSuspending',
    ]);
  });

  it('is not provisioned while a pod that makes up the number is going, or the head is missing', () => {
    const provisioned = (pods: ObservedOptions['pods'] = []) =>
      conditions(status({ ...running, pods }))?.find((each) => each.startsWith('RayClusterProvisioned'));
    const not = 'RayClusterProvisioned=False RayClusterPodsProvisioning';
    expect(provisioned([headPod(), worker(0), { ...worker(1), isTerminating: true }])).toBe(not);
    expect(provisioned([worker(0), worker(1), worker(2)])).toBe(not);
  });

  it('is not written again when nothing but time has changed', () => {
    const first = status(running);
    expect(first).toBeDefined();
    expect(status({ ...running, ...(first === undefined ? {} : { status: first }), now: Date.now() })).toBeUndefined();
  });

  it('is not provisioned by a head alone when workers are missing', () => {
    expect(conditions(status({ ...running, pods: [headPod()] }))).toContain(
      'RayClusterProvisioned=False RayClusterPodsProvisioning',
    );
  });

  it('says which step failed and why, and forgets it when the next one succeeds', () => {
    const failed = status(running, {
      kind: 'failed',
      failure: 'FailedCreateWorkerPod',
      message: 'pods "x" is forbidden',
    });
    expect(failed?.conditions?.find(({ type }) => type === 'ReplicaFailure')).toMatchObject({
      status: 'True',
      reason: 'FailedCreateWorkerPod',
      message: 'FailedCreateWorkerPod\npods "x" is forbidden',
    });
    expect(failed?.state).toBeUndefined();
    const after = status({ ...running, ...(failed === undefined ? {} : { status: failed }) });
    expect(conditions(after)?.some((text) => text.startsWith('ReplicaFailure'))).toBe(false);
  });

  it('keeps "ready" for good, and tells the truth in the condition', () => {
    const result = status({ ...running, pods: [], status: { state: 'ready', conditions: [] } });
    expect(result?.state).toBe('ready');
    expect(conditions(result)).toContain('HeadPodReady=False HeadPodNotFound');
  });

  it('does not count a worker that is going as ready', () => {
    const result = status({ ...running, pods: [headPod(), worker(0), worker(1, { isTerminating: true })] });
    expect(result).toMatchObject({ readyWorkerReplicas: 1, availableWorkerReplicas: 2 });
  });

  it('takes the reason of a container that the API would refuse for Unknown', () => {
    const readiness = { status: 'False', reason: 'ugly reason!', message: 'm' } as const;
    const result = status({ pods: [headPod({ head: { readiness, recreateHash: '', operatorVersion: '' } })] });
    expect(conditions(result)).toContain('HeadPodReady=False Unknown');
  });

  it('cuts reasons and messages where the API would refuse them for their length', () => {
    const readiness = { status: 'False', reason: 'R'.repeat(1025), message: 'm'.repeat(40_000) } as const;
    const result = status({ pods: [headPod({ head: { readiness, recreateHash: '', operatorVersion: '' } })] });
    const told = result?.conditions?.find(({ type }) => type === 'HeadPodReady');
    expect(told?.reason).toBe('Unknown');
    expect(told?.message).toHaveLength(32_768);
  });

  it('tells of the head that stays when another one is going, in whatever order they are seen', () => {
    const pods = [headPod({ name: 'old', isTerminating: true }), headPod({ name: 'new' })];
    expect(status({ pods })?.head?.podName).toBe('new');
    expect(status({ pods: pods.toReversed() })?.head?.podName).toBe('new');
  });

  it('shows node ports where the Service has them', () => {
    const service = headService({
      clusterIP: '10.1.1.1',
      ports: [{ name: 'dashboard', nodePort: 30_001, targetPort: 8265 }],
    });
    expect(status({ ...running, children: { services: [service] } })).toMatchObject({
      endpoints: { dashboard: '30001' },
      head: { serviceIP: '10.1.1.1' },
    });
  });
});

describe('suspension in the status', () => {
  const condition = (type: string, value: 'True' | 'False') => ({
    type,
    status: value,
    reason: type,
    message: '',
    lastTransitionTime: '',
  });
  const after = (options: ObservedOptions) => conditions(status(options))?.filter((text) => text.includes('Suspend'));

  it('begins when it is asked for', () => {
    expect(after({ spec: { suspend: true }, pods: [headPod()] })).toEqual([
      'RayClusterSuspended=False RayClusterSuspended',
      'RayClusterSuspending=True RayClusterSuspending',
    ]);
  });

  it('ends when no pod is left, and the cluster is no longer provisioned', () => {
    const result = status({
      spec: { suspend: true },
      status: { conditions: [condition('RayClusterSuspending', 'True')] },
    });
    expect(result?.state).toBe('suspended');
    expect(conditions(result)).toEqual([
      'RayClusterSuspending=False RayClusterSuspending',
      'HeadPodReady=False HeadPodNotFound',
      'RayClusterProvisioned=False RayClusterPodsProvisioning',
      'RayClusterSuspended=True RayClusterSuspended',
    ]);
  });

  it.each([undefined, false])('is over when suspend is %s', (suspend) => {
    const spec = suspend === undefined ? {} : { suspend };
    expect(after({ spec, status: { conditions: [condition('RayClusterSuspended', 'True')] } })).toContain(
      'RayClusterSuspended=False RayClusterSuspended',
    );
  });
});
