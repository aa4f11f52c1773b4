import { type Job, type JobSpec, type JobStatus, type Pod, timestamp } from '@manta/api';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Stored } from '../framework/cluster.ts';
import { garbageCollector } from '../gc/garbage-collector.ts';
import { jobs, pods, resourceQuotas } from '../framework/kinds.ts';
import { SPACE, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { jobController } from './job-controller.ts';

let test: TestCluster;
let stop: () => void;

beforeEach(async () => {
  test = await startTestCluster();
  stop = test.start(jobController, garbageCollector);
});

const template = {
  metadata: { labels: { x: 'z' }, annotations: { q: 'r' } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
};
const make = async (name: string, spec: Partial<JobSpec> = {}, metadata: object = {}): Promise<Stored<Job>> => {
  const job = await test.create(jobs, name, { metadata, spec: { template, ...spec } });
  await test.settle();
  return job;
};
const time = () => timestamp(test.clock.now());
const status = (name: string): JobStatus | undefined => test.get(jobs, name).status;
const podsOf = (name: string): readonly Stored<Pod>[] =>
  test.all(pods).filter(({ metadata }) => metadata.generateName === `${name}-`);
const livePods = (name: string) => podsOf(name).filter(({ status: { phase } = {} }) => !/Succ|Fail/.test(phase ?? ''));
const end = async (pod: Stored<Pod> | undefined, phase: 'Succeeded' | 'Failed') => {
  const terminated = { exitCode: phase === 'Failed' ? 1 : 0, finishedAt: time() };
  const containerStatuses = [
    { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { terminated } },
  ];
  await test.setStatus(pods, pod?.metadata.name ?? '', { phase, containerStatuses });
};
const run = async (pod: Stored<Pod> | undefined) => {
  const conditions = [{ type: 'Ready', status: 'True' }];
  await test.setStatus(pods, pod?.metadata.name ?? '', { phase: 'Running', conditions });
};
const suspend = async (name: string, isHeld: boolean) => {
  const body = { spec: { suspend: isHeld } };
  await test.client.patch(jobs, { name, namespace: SPACE }, { type: 'merge', body });
  await test.settle();
};
const condition = (type: string, reason: string, message: string, more: object = {}) => ({
  type,
  status: 'True',
  reason,
  message,
  lastProbeTime: time(),
  lastTransitionTime: time(),
  ...more,
});
const restarted = (restartCount: number) => ({
  phase: 'Running',
  containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount }],
});
const COMPLETED = ['CompletionsReached', 'Reached expected number of succeeded pods'] as const;
const BACKOFF = ['BackoffLimitExceeded', 'Job has reached the specified backoff limit'] as const;
const DEADLINE = ['DeadlineExceeded', 'Job was active longer than specified deadline'] as const;
const quiet = { ready: 0, terminating: 0, uncountedTerminatedPods: {} };

describe('a job', () => {
  it('gets a pod that is made from its template, belongs to it and waits to be counted', async () => {
    const job = await make('j');
    const [pod] = podsOf('j');
    expect(pod?.metadata).toMatchObject({
      name: expect.stringMatching(/^j-[a-z0-9]{5}$/),
      annotations: { q: 'r' },
      labels: { x: 'z' },
      finalizers: ['batch.kubernetes.io/job-tracking'],
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: 'j',
          uid: job.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(status('j')).toEqual({ ...quiet, active: 1, startTime: time() });
    expect(test.said()).toEqual([`Normal SuccessfulCreate: Created pod: ${pod?.metadata.name}`]);
  });

  it('counts pods that are ready', async () => {
    await make('j');
    await run(podsOf('j')[0]);
    expect(status('j')).toMatchObject({ active: 1, ready: 1 });
  });

  it('is complete when its pod succeeded: named as uncounted first, then counted, then let go', async () => {
    await make('j');
    const startTime = time();
    await test.advance(4);
    const [pod] = podsOf('j');
    await end(pod, 'Succeeded');
    const met = condition('SuccessCriteriaMet', ...COMPLETED);
    const states = test.history(jobs, 'j').map((job) => job.status);
    expect(states.slice(-2)).toEqual([
      { ...quiet, startTime, conditions: [met], uncountedTerminatedPods: { succeeded: [pod?.metadata.uid] } },
      {
        ...quiet,
        startTime,
        completionTime: time(),
        succeeded: 1,
        conditions: [met, condition('Complete', ...COMPLETED)],
      },
    ]);
    expect(podsOf('j')[0]?.metadata.finalizers).toBeUndefined();
    expect(test.said()).toContain('Normal Completed: Job completed');
  });

  it('fails at its backoff limit', async () => {
    await make('j', { backoffLimit: 0 });
    const startTime = time();
    await end(podsOf('j')[0], 'Failed');
    const target = condition('FailureTarget', ...BACKOFF);
    expect(status('j')).toEqual({
      ...quiet,
      startTime,
      failed: 1,
      conditions: [target, condition('Failed', ...BACKOFF)],
    });
    expect(test.said()).toContain('Warning BackoffLimitExceeded: Job has reached the specified backoff limit');
    await test.advance(3600);
    expect(podsOf('j')).toHaveLength(1);
  });

  it('waits 10, 20, 40 … seconds before it replaces a failed pod', async () => {
    await make('j', { backoffLimit: 6 });
    for (const delay of [10, 20, 40, 80, 160, 320]) {
      const made = podsOf('j').length;
      await end(livePods('j')[0], 'Failed');
      await test.advance(delay - 1);
      expect(podsOf('j')).toHaveLength(made);
      await test.advance(1);
      expect(podsOf('j')).toHaveLength(made + 1);
    }
    expect(status('j')).toMatchObject({ active: 1, failed: 6 });
  });

  it('counts a pod that was deleted as failed, and replaces it after the same wait', async () => {
    await make('j');
    await test.client.delete(pods, podsOf('j')[0]?.metadata as never);
    await test.settle();
    expect(status('j')).toEqual({ ...quiet, failed: 1, startTime: expect.any(String) });
    await test.advance(10);
    expect(status('j')).toMatchObject({ active: 1, failed: 1 });
  });

  it('is stopped at its deadline; what still runs counts as failed', async () => {
    await make('j', { activeDeadlineSeconds: 3 });
    const startTime = time();
    await run(podsOf('j')[0]);
    await test.advance(3);
    expect(podsOf('j')).toEqual([]);
    const conditions = [condition('FailureTarget', ...DEADLINE), condition('Failed', ...DEADLINE)];
    expect(status('j')).toEqual({ ...quiet, startTime, failed: 1, conditions });
    expect(test.said().slice(1)).toEqual([
      expect.stringMatching(/^Normal SuccessfulDelete: Deleted pod: j-/),
      'Warning DeadlineExceeded: Job was active longer than specified deadline',
    ]);
  });

  it('says that it failed only when the last of its pods has ended', async () => {
    await make('j', { activeDeadlineSeconds: 3 });
    const [pod] = podsOf('j');
    await test.client.post(`/api/v1/namespaces/${SPACE}/pods/${pod?.metadata.name}/binding`, {
      target: { kind: 'Node', name: 'node-1' },
    });
    await run(pod);
    await test.advance(3);
    expect(status('j')).toMatchObject({ failed: 1, terminating: 1 });
    expect(status('j')?.conditions?.map(({ type }) => type)).toEqual(['FailureTarget']);
    await test.client.delete(pods, pod?.metadata as never, { gracePeriodSeconds: 0 });
    await test.settle();
    expect(status('j')?.conditions?.map(({ type }) => type)).toEqual(['FailureTarget', 'Failed']);
  });

  it('has no pods and no start while it is suspended, and starts anew when it is resumed', async () => {
    await make('j', { suspend: true });
    const suspended = condition('Suspended', 'JobSuspended', 'Job suspended');
    expect(status('j')).toEqual({ ...quiet, conditions: [suspended] });
    await test.advance(5);
    await suspend('j', false);
    const resumed = condition('Suspended', 'JobResumed', 'Job resumed', { status: 'False' });
    expect(status('j')).toEqual({ ...quiet, active: 1, startTime: time(), conditions: [resumed] });
    await test.advance(5);
    await suspend('j', true);
    expect(podsOf('j')).toEqual([]);
    const again = condition('Suspended', 'JobSuspended', 'Job suspended');
    expect(status('j')).toEqual({ ...quiet, conditions: [again] });
    expect(test.said().map((text) => text.replace(/: [CD].*/, ''))).toEqual([
      'Normal Suspended: Job suspended',
      'Normal SuccessfulCreate',
      'Normal Resumed: Job resumed',
      'Normal SuccessfulDelete',
    ]);
  });

  it('keeps a deadline on hold while it is suspended', async () => {
    await make('j', { suspend: true, activeDeadlineSeconds: 3 });
    await test.advance(10);
    expect(status('j')?.conditions).toHaveLength(1);
  });

  it('runs as many pods at once as it may, until enough succeeded', async () => {
    await make('j', { parallelism: 2, completions: 3 });
    expect(status('j')).toMatchObject({ active: 2 });
    await end(livePods('j')[0], 'Succeeded');
    expect(status('j')).toMatchObject({ active: 2, succeeded: 1 });
    await end(livePods('j')[0], 'Succeeded');
    expect(status('j')).toMatchObject({ active: 1, succeeded: 2 });
    await end(livePods('j')[0], 'Succeeded');
    expect(status('j')).toMatchObject({ succeeded: 3, completionTime: time() });
    expect(podsOf('j')).toHaveLength(3);
  });

  it('with fewer pods allowed than there are lets the newest go, uncounted', async () => {
    await make('j', { parallelism: 2, completions: 5 });
    await run(podsOf('j')[1]);
    await test.client.patch(
      jobs,
      { name: 'j', namespace: SPACE },
      { type: 'merge', body: { spec: { parallelism: 1 } } },
    );
    await test.settle();
    expect(podsOf('j').map((pod) => pod.status?.phase)).toEqual(['Running']);
    expect(status('j')).toEqual({ ...quiet, active: 1, ready: 1, startTime: time() });
  });

  it('without pods allowed makes none', async () => {
    await make('j', { parallelism: 0 });
    expect(podsOf('j')).toEqual([]);
    expect(status('j')).toEqual({ ...quiet, startTime: time() });
  });

  it('as a work queue is complete when one pod succeeded and none is left', async () => {
    await make('j', { parallelism: 2 });
    await end(livePods('j')[0], 'Succeeded');
    expect(status('j')).toMatchObject({ active: 1, succeeded: 1 });
    await end(livePods('j')[0], 'Succeeded');
    expect(status('j')).toMatchObject({ succeeded: 2, completionTime: time() });
  });

  it('counts restarts in place where containers restart in place', async () => {
    await make('j', {
      backoffLimit: 2,
      template: { ...template, spec: { ...template.spec, restartPolicy: 'OnFailure' } },
    });
    const [pod] = podsOf('j');
    await test.setStatus(pods, pod?.metadata.name ?? '', restarted(1));
    expect(status('j')?.conditions).toBeUndefined();
    await test.setStatus(pods, pod?.metadata.name ?? '', restarted(2));
    expect(status('j')?.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'FailureTarget BackoffLimitExceeded',
      'Failed BackoffLimitExceeded',
    ]);
  });

  it('is deleted with its pods when its time to live after the end is over', async () => {
    await make('j', { ttlSecondsAfterFinished: 4 });
    await end(podsOf('j')[0], 'Succeeded');
    await test.advance(3);
    expect(test.find(jobs, 'j')).toBeDefined();
    await test.advance(1);
    expect(test.find(jobs, 'j')).toBeUndefined();
    expect(podsOf('j')).toEqual([]);
    expect(test.history(jobs, 'j').at(-1)?.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  it('takes its pods with it when it is deleted', async () => {
    const job = await make('j');
    await test.client.delete(jobs, job.metadata, { propagation: 'Background' });
    await test.settle();
    expect(test.find(jobs, 'j')).toBeUndefined();
    expect(podsOf('j')).toEqual([]);
  });

  it('leaves its pods, free to go, when it is deleted without them', async () => {
    const job = await make('j');
    await test.client.delete(jobs, job.metadata, { propagation: 'Orphan' });
    await test.settle();
    expect(podsOf('j').map(({ metadata }) => [metadata.finalizers, metadata.ownerReferences])).toEqual([
      [undefined, undefined],
    ]);
  });

  it('warns that a pod failure policy is not acted upon', async () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }];
    await make('j', { podFailurePolicy: { rules }, podReplacementPolicy: 'Failed' });
    await end(podsOf('j')[0], 'Failed');
    expect(status('j')).toEqual({ ...quiet, failed: 1, startTime: time() });
    expect(test.said().filter((text) => text.includes('Policy'))).toEqual([
      'Warning PodFailurePolicyIgnored: spec.podFailurePolicy is not acted upon here: every failed pod counts towards spec.backoffLimit',
    ]);
  });

  it('that replaces only failed pods waits for a deleted one to end', async () => {
    await make('j', { podReplacementPolicy: 'Failed' });
    const [pod] = podsOf('j');
    await test.client.post(`/api/v1/namespaces/${SPACE}/pods/${pod?.metadata.name}/binding`, {
      target: { kind: 'Node', name: 'node-1' },
    });
    await test.client.delete(pods, pod?.metadata as never);
    await test.advance(60);
    expect(status('j')).toEqual({ ...quiet, terminating: 1, startTime: expect.any(String) });
    expect(podsOf('j')).toHaveLength(1);
  });

  it('that replaces only failed pods still counts what runs at its deadline as failed at once', async () => {
    const placed = { ...template, spec: { ...template.spec, nodeName: 'node-1' } };
    await make('j', { podReplacementPolicy: 'Failed', activeDeadlineSeconds: 3, template: placed });
    await run(podsOf('j')[0]);
    await test.advance(3);
    expect(status('j')).toMatchObject({ failed: 1, terminating: 1, uncountedTerminatedPods: {} });
    expect(podsOf('j')[0]?.metadata.finalizers).toBeUndefined();
  });

  it('says why a pod cannot be made, and goes on when it can', async () => {
    await test.create(resourceQuotas, 'q', { spec: { hard: { pods: '0' } } });
    await make('j');
    expect(test.said()[0]).toMatch(
      /^Warning FailedCreate: Error creating: pods "j-[a-z0-9]{5}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0$/,
    );
    expect(status('j')).toEqual({ ...quiet, startTime: time() });
    await test.client.patch(
      resourceQuotas,
      { name: 'q', namespace: SPACE },
      { type: 'merge', body: { spec: { hard: { pods: '1' } } } },
    );
    await test.advance(60);
    expect(status('j')).toMatchObject({ active: 1 });
    expect(test.said().length).toBeLessThan(10);
  });

  it('that another controller manages is left alone', async () => {
    await make('j', { managedBy: 'example.com/other' });
    expect(podsOf('j')).toEqual([]);
  });
});

describe('after a restart of the controller', () => {
  it('no pod is made twice and none is counted twice', async () => {
    await make('j', { parallelism: 2, completions: 2 });
    const [first] = podsOf('j');
    stop();
    await end(first, 'Succeeded');
    const uncountedTerminatedPods = { succeeded: [first?.metadata.uid ?? ''] };
    await test.setStatus(jobs, 'j', { uncountedTerminatedPods });
    test.start(jobController);
    await test.settle();
    expect(status('j')).toMatchObject({ active: 1, succeeded: 1, uncountedTerminatedPods: {} });
    expect(podsOf('j')).toHaveLength(2);
  });

  it('pods whose job is gone are let go', async () => {
    const job = await make('j');
    stop();
    await test.client.delete(jobs, job.metadata, { propagation: 'Background' });
    const [pod] = podsOf('j');
    expect(pod?.metadata.finalizers).toHaveLength(1);
    test.start(jobController);
    await test.settle();
    expect(podsOf('j')[0]?.metadata.finalizers).toBeUndefined();
  });
});
