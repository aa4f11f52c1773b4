import { type Pod, type PodSpec, timestamp } from '@manta/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { nodes, pods, type Stored } from '@manta/controllers';
import { jobController } from '../../../controllers/src/job/job-controller.ts';
import { jobs } from '../../../controllers/src/framework/kinds.ts';
import { nodeLifecycle } from '../../../controllers/src/node/node-lifecycle.ts';
import { podEviction } from '../../../controllers/src/node/pod-eviction.ts';
import { podCondition } from '@manta/apiserver';
import { scheduler } from '../../../controllers/src/scheduler/scheduler.ts';
import { SPACE, startTestCluster, type TestCluster } from '@manta/controllers/testing';
import { type PodRule, withLabels } from './pod-script.ts';
import { registerNode, setNodeReady } from '../node/register-node.ts';
import { type ScriptedKubelet, startScriptedKubelet } from './scripted.ts';

let test: TestCluster;
let kubelet: ScriptedKubelet;

beforeEach(async () => {
  test = await startTestCluster();
});

const start = (...rules: PodRule[]) => {
  kubelet = startScriptedKubelet(test.cluster, { rules });
};
const pod = async (name: string, spec: Partial<PodSpec> = {}, metadata: object = {}): Promise<Stored<Pod>> => {
  const containers = [{ name: 'c', image: 'i' }];
  const made = await test.create(pods, name, { metadata, spec: { nodeName: 'node-1', containers, ...spec } });
  await test.settle();
  return made;
};
const ref = (name: string) => ({ name, namespace: SPACE });
const status = (name: string) => test.get(pods, name).status;
const container = (name: string) => status(name)?.containerStatuses?.[0];
const ready = (name: string) => podCondition(test.get(pods, name), 'Ready')?.status;
const time = (seconds = 0) => timestamp(test.clock.now() + seconds * 1000);

describe('a scripted pod', () => {
  it('runs and is ready at once where no rule says otherwise', async () => {
    start();
    await pod('p');
    const at = time();
    const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: at });
    expect(status('p')).toMatchObject({
      phase: 'Running',
      hostIP: '192.168.0.1',
      podIP: '10.244.0.1',
      podIPs: [{ ip: '10.244.0.1' }],
      startTime: at,
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        condition,
      ),
      containerStatuses: [
        { name: 'c', image: 'i', ready: true, started: true, restartCount: 0, state: { running: { startedAt: at } } },
      ],
    });
  });

  it('waits, starts, becomes ready and ends when its script says so', async () => {
    start({ run: () => ({ startAfterMs: 2000, readyAfterMs: 3000, exit: { afterMs: 10_000, code: 0 } }) });
    await pod('p', { restartPolicy: 'Never' });
    expect(status('p')).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
    });
    expect(podCondition(test.get(pods, 'p'), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [c]',
    });
    expect(status('p')?.podIP).toBeUndefined();
    await test.advance(2);
    expect([status('p')?.phase, ready('p')]).toEqual(['Running', 'False']);
    await test.advance(3);
    expect([status('p')?.phase, ready('p')]).toEqual(['Running', 'True']);
    await test.advance(7);
    expect(status('p')).toMatchObject({
      phase: 'Succeeded',
      podIP: '10.244.0.1',
      containerStatuses: [
        {
          ready: false,
          state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: time(-10), finishedAt: time() } },
        },
      ],
    });
    expect(podCondition(test.get(pods, 'p'), 'Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
  });

  it('hangs where it never starts, for the reason given', async () => {
    start({
      run: () => ({ startAfterMs: 'never', waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }),
    });
    await pod('p');
    await test.advance(3600);
    expect(status('p')?.phase).toBe('Pending');
    expect(container('p')?.state).toEqual({ waiting: { reason: 'ImagePullBackOff', message: 'no such image' } });
  });

  it('fails when it ends badly and may not restart', async () => {
    start({ run: () => ({ exit: { afterMs: 1000, code: 137, reason: 'OOMKilled' } }) });
    await pod('p', { restartPolicy: 'Never' });
    await test.advance(1);
    expect(status('p')?.phase).toBe('Failed');
    expect(container('p')?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    expect(podCondition(test.get(pods, 'p'), 'Ready')?.reason).toBe('PodFailed');
  });

  it('restarts with a growing delay, and runs as its script says of that attempt', async () => {
    start({ run: ({ attempt }) => (attempt < 3 ? { exit: { afterMs: 1000, code: 1 } } : {}) });
    await pod('p');
    await test.advance(1);
    expect(container('p')).toMatchObject({ restartCount: 1, ready: true, lastState: { terminated: { exitCode: 1 } } });
    await test.advance(1);
    expect(container('p')).toMatchObject({ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    expect(status('p')?.phase).toBe('Running');
    expect(ready('p')).toBe('False');
    await test.advance(10);
    expect(container('p')).toMatchObject({ restartCount: 2, state: { running: {} } });
    await test.advance(1 + 20);
    expect(container('p')).toMatchObject({ restartCount: 3, ready: true });
    await test.advance(3600);
    expect(container('p')?.restartCount).toBe(3);
  });

  it('is over only when all its containers are', async () => {
    start({ run: ({ container: name }) => (name === 'one' ? { exit: { afterMs: 1000, code: 1 } } : {}) });
    await pod('p', {
      restartPolicy: 'Never',
      containers: [
        { name: 'one', image: 'i' },
        { name: 'two', image: 'i' },
      ],
    });
    await test.advance(1);
    expect(status('p')?.phase).toBe('Running');
    expect(podCondition(test.get(pods, 'p'), 'Ready')?.message).toBe('containers with unready status: [one]');
    kubelet.exit(ref('p'), { code: 0 }, 'two');
    await test.settle();
    expect(status('p')?.phase).toBe('Failed');
  });

  it('follows the first rule that matches it', async () => {
    start(
      { matches: withLabels({ app: 'slow' }), run: () => ({ startAfterMs: 5000 }) },
      { matches: withLabels({ app: 'never' }), run: () => ({ readyAfterMs: 'never' }) },
    );
    await pod('slow', {}, { labels: { app: 'slow' } });
    await pod('never', {}, { labels: { app: 'never' } });
    await pod('other');
    expect(['slow', 'never', 'other'].map(ready)).toEqual(['False', 'False', 'True']);
    await test.advance(5);
    expect(['slow', 'never', 'other'].map(ready)).toEqual(['True', 'False', 'True']);
  });

  it('can be made unready, ready, and be ended by hand', async () => {
    start();
    await pod('p', { restartPolicy: 'Never' });
    await test.advance(60);
    kubelet.setReady(ref('p'), false);
    await test.settle();
    expect([ready('p'), podCondition(test.get(pods, 'p'), 'Ready')?.lastTransitionTime]).toEqual(['False', time()]);
    kubelet.setReady(ref('p'), true);
    await test.settle();
    expect(ready('p')).toBe('True');
    kubelet.exit(ref('p'), { code: 3 });
    await test.settle();
    expect(container('p')?.state?.terminated).toMatchObject({ exitCode: 3, startedAt: time(-60), finishedAt: time() });
    expect(() => kubelet.exit(ref('nobody'), { code: 1 })).toThrow('pod default/nobody does not run here');
  });

  it('waits for its readiness gates', async () => {
    start();
    await pod('p', { readinessGates: [{ conditionType: 'example.com/gate' }] });
    expect(podCondition(test.get(pods, 'p'), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
    });
    const conditions = [...(status('p')?.conditions ?? []), { type: 'example.com/gate', status: 'True' }];
    await test.setStatus(pods, 'p', { conditions });
    expect(ready('p')).toBe('True');
  });

  it('without a node, or with the node of another, is left alone', async () => {
    kubelet = startScriptedKubelet(test.cluster, { isMyNode: (name) => name === 'mine' });
    await pod('other');
    await test.create(pods, 'free', { spec: { containers: [{ name: 'c', image: 'i' }] } });
    await test.settle();
    expect([status('other')?.phase, status('free')?.phase]).toEqual(['Pending', 'Pending']);
  });
});

describe('a scripted pod that is deleted', () => {
  const remove = async (name: string) => {
    await test.client.delete(pods, ref(name));
    await test.settle();
  };

  it('is gone at once where nothing holds it', async () => {
    start();
    await pod('p');
    await remove('p');
    expect(test.find(pods, 'p')).toBeUndefined();
  });

  it('reports Failed with exit code 1, like Ray, before it is removed', async () => {
    start();
    await pod('p');
    const seen: unknown[] = [];
    const { store } = test.cluster;
    store.watch(store.revision, ({ type, object }) => {
      const { phase, containerStatuses = [] } = (object as Pod).status ?? {};
      seen.push([type, phase, containerStatuses[0]?.state?.terminated?.exitCode]);
    });
    await remove('p');
    expect(seen).toEqual([
      ['MODIFIED', 'Running', undefined],
      ['MODIFIED', 'Failed', 1],
      ['MODIFIED', 'Failed', 1],
      ['DELETED', 'Failed', 1],
    ]);
  });

  it('ends in the time that its script takes', async () => {
    start({ stopAfterMs: 7000 });
    await pod('p');
    await remove('p');
    await test.advance(6);
    expect(status('p')?.phase).toBe('Running');
    await test.advance(1);
    expect(test.find(pods, 'p')).toBeUndefined();
  });

  it('is killed when its grace period is over', async () => {
    start({ stopAfterMs: 3_600_000 });
    await pod('p', { terminationGracePeriodSeconds: 5 });
    await remove('p');
    await test.advance(4);
    expect(test.find(pods, 'p')).toBeDefined();
    await test.advance(1);
    expect(test.find(pods, 'p')).toBeUndefined();
  });

  it('hangs where its node is dead', async () => {
    start({ stopAfterMs: 'never' });
    await pod('p');
    await remove('p');
    await test.advance(3600);
    expect(test.get(pods, 'p').metadata.deletionTimestamp).toBeDefined();
  });

  it('ends, and stays for those who hold it by a finalizer', async () => {
    start();
    await pod('p', {}, { finalizers: ['example.com/f'] });
    await remove('p');
    expect(status('p')?.phase).toBe('Failed');
    expect(test.get(pods, 'p').metadata.deletionGracePeriodSeconds).toBe(0);
  });
});

describe('with a scheduler and Jobs', () => {
  const job = (spec: object = {}) =>
    test.create(jobs, 'j', {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }, ...spec },
    });

  beforeEach(async () => {
    test.start(scheduler, jobController, nodeLifecycle, podEviction);
    await registerNode(test.cluster, { name: 'node-1', capacity: { cpu: '2', memory: '4Gi' } });
    await test.settle();
  });

  it('a registered node is marked ready for pods', () => {
    expect(test.get(nodes, 'node-1').spec?.taints).toBeUndefined();
    expect(test.said()).toContain('Normal RegisteredNode: Node node-1 event: Registered Node node-1 in Controller');
  });

  it('a Job is placed, runs and completes', async () => {
    start({ run: () => ({ startAfterMs: 1000, exit: { afterMs: 30_000, code: 0 } }) });
    await job();
    await test.advance(20);
    expect(test.get(jobs, 'j').status).toMatchObject({ active: 1, ready: 1 });
    await test.advance(11);
    expect(test.get(jobs, 'j').status).toMatchObject({ succeeded: 1, completionTime: time() });
    expect(test.errors).toEqual([]);
  });

  it('a Job whose pods keep failing gives up', async () => {
    start({ run: () => ({ exit: { afterMs: 1000, code: 1 } }) });
    await job({ backoffLimit: 2 });
    await test.advance(1 + 10 + 1 + 20 + 1);
    expect(test.get(jobs, 'j').status).toMatchObject({ failed: 3 });
    expect(test.get(jobs, 'j').status?.conditions?.at(-1)).toMatchObject({
      type: 'Failed',
      reason: 'BackoffLimitExceeded',
    });
  });

  it('pods leave a node that is not ready when they have been patient long enough', async () => {
    start({ stopAfterMs: 'never' });
    const tolerations = [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    ];
    await pod('p', { tolerations });
    await setNodeReady(test.cluster, 'node-1', false);
    await test.settle();
    expect(test.get(nodes, 'node-1').spec?.taints).toEqual([
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule', timeAdded: time() },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', timeAdded: time() },
    ]);
    await test.advance(59);
    expect(test.get(pods, 'p').metadata.deletionTimestamp).toBeUndefined();
    await test.advance(1);
    expect(test.get(pods, 'p').metadata.deletionTimestamp).toBeDefined();
    expect(podCondition(test.get(pods, 'p'), 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
  });

  it('pods stay when the node is ready again in time', async () => {
    start();
    await pod('p');
    await setNodeReady(test.cluster, 'node-1', false);
    await test.advance(10);
    await setNodeReady(test.cluster, 'node-1', true);
    await test.advance(3600);
    expect(test.get(pods, 'p').metadata.deletionTimestamp).toBeUndefined();
  });

  it('pods of a node that is deleted are removed', async () => {
    start({ stopAfterMs: 'never' });
    await pod('p', {}, { finalizers: ['example.com/f'] });
    await test.client.delete(nodes, { name: 'node-1' });
    await test.settle();
    expect(status('p')?.phase).toBe('Failed');
    expect(podCondition(test.get(pods, 'p'), 'DisruptionTarget')).toMatchObject({ reason: 'DeletionByPodGC' });
    expect(test.get(pods, 'p').metadata.deletionTimestamp).toBeDefined();
  });

  it('pods of a node that came back stay', async () => {
    start();
    await test.client.delete(nodes, { name: 'node-1' });
    await registerNode(test.cluster, { name: 'node-1', capacity: { cpu: '2', memory: '4Gi' } });
    await pod('p');
    expect(status('p')?.phase).toBe('Running');
    expect(test.get(pods, 'p').metadata.deletionTimestamp).toBeUndefined();
  });
});
