import type { Condition } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { worker } from '../testing/observed.ts';
import {
  cluster,
  DOES_NOT_KNOW,
  initializing,
  type JobOptions,
  type JobScene,
  planJob,
  running,
  says,
} from './testing/observed-job.ts';

const PULL = 'container ray: image ray:nope cannot be pulled';
const pods = (...numbers: readonly number[]) => numbers.map((index) => worker(index, { trouble: PULL }));
const reported = (options: JobOptions) => planJob(initializing({ cluster: cluster(), ...options })).status?.message;
const eventsOf = (scene: JobScene) =>
  planJob(scene).actions.flatMap((action) =>
    action.type === 'event' ? [`${action.event.severity} ${action.event.reason}: ${action.event.note}`] : [],
  );

describe('message of a RayJob whose cluster does not come up', () => {
  it('names the pod and its trouble at once', () => {
    expect(reported({ blockedPods: pods(1) })).toBe(`The cluster does not come up: pod demo-small-worker-1: ${PULL}`);
  });

  it('names one pod for all', () => {
    expect(reported({ blockedPods: pods(2, 1, 3) })).toContain('pod demo-small-worker-1 (and 2 more): ');
  });

  it('is what the cluster reports if pods cannot be created', () => {
    const condition: Condition = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreateHeadPod',
      message: 'FailedCreateHeadPod\nexceeded quota',
      lastTransitionTime: '2026-08-01T12:00:00Z',
    };
    const refused = cluster(undefined, { status: { conditions: [condition] } });
    expect(reported({ cluster: refused })).toBe('The cluster does not come up: FailedCreateHeadPod exceeded quota');
  });

  it('is written once', () => {
    const message = `The cluster does not come up: pod demo-small-worker-1: ${PULL}`;
    expect(reported({ blockedPods: pods(1), status: { message, rayClusterStatus: {} } })).toBeUndefined();
  });

  it('is removed when the trouble is over', () => {
    const { status } = planJob(initializing({ cluster: cluster(), status: { message: 'old', rayClusterStatus: {} } }));
    expect(status).toBeDefined();
    expect(status).not.toHaveProperty('message');
    expect(planJob(initializing({ status: { message: 'old' } })).status).not.toHaveProperty('message');
  });

  it('is at most 1024 characters long', () => {
    const trouble = 'x'.repeat(5000);
    expect(reported({ blockedPods: [worker(1, { trouble })] })).toHaveLength(1024);
  });

  it('does not change the status of a running job', () => {
    expect(planJob(running({ blockedPods: pods(1) })).status).toBeUndefined();
  });
});

describe('message of a RayJob whose submitter does not start', () => {
  const submitterPod = {
    name: 'job-x7k2p',
    trouble: 'cannot be scheduled: 0/1 nodes are available: 1 Insufficient cpu.',
  };
  const message = `The submitter does not start: pod job-x7k2p: ${submitterPod.trouble}`;
  const unsubmitted = (options: JobOptions) => running({ answer: DOES_NOT_KNOW, ...options });

  it('names the pod of the submitter and its trouble', () => {
    expect(planJob(unsubmitted({ submitterPod })).status).toMatchObject({ jobDeploymentStatus: 'Running', message });
  });

  it('is written once', () => {
    expect(planJob(unsubmitted({ submitterPod, status: { message } })).status).toBeUndefined();
  });

  it('is removed when the submitter starts', () => {
    const { status } = planJob(unsubmitted({ status: { message } }));
    expect(status).toBeDefined();
    expect(status).not.toHaveProperty('message');
  });

  it('leaves other messages in place', () => {
    expect(planJob(unsubmitted({ status: { message: 'of Ray' } })).status).toBeUndefined();
  });

  it('gives way to what Ray reports', () => {
    const answer = says('RUNNING', { message: 'running' });
    expect(planJob(running({ answer, submitterPod, status: { message } })).status?.message).toBe('running');
  });
});

describe('Warning event of a RayJob', () => {
  const submitterPod = { name: 'job-x7k2p', trouble: 'cannot be scheduled: no room' };
  const failed = (message: string, options: JobOptions = {}) =>
    eventsOf(running({ answer: says('FAILED', { message }), ...options }));

  it('reports a cluster that does not come up, once for all its pods', () => {
    const scene = (message?: string) =>
      initializing({
        cluster: cluster(),
        blockedPods: pods(1, 2),
        status: { rayClusterStatus: {}, ...(message === undefined ? {} : { message }) },
      });
    const note = `The cluster does not come up: pod demo-small-worker-1: ${PULL}`;
    expect(eventsOf(scene())).toEqual([`Warning RayClusterNotReady: ${note}`]);
    expect(eventsOf(scene(note))).toEqual([]);
  });

  it('reports a submitter that does not start', () => {
    expect(eventsOf(running({ answer: DOES_NOT_KNOW, submitterPod }))).toEqual([
      'Warning SubmitterNotStarted: The submitter does not start: pod job-x7k2p: cannot be scheduled: no room',
    ]);
  });

  it('is not repeated when the scheduler counts other nodes', () => {
    const message = 'The submitter does not start: pod job-x7k2p: cannot be scheduled: 0/3 nodes are available';
    expect(eventsOf(running({ answer: DOES_NOT_KNOW, submitterPod, status: { message } }))).toEqual([]);
    const ofAnother = message.replace('x7k2p', 'b2c9d');
    expect(eventsOf(running({ answer: DOES_NOT_KNOW, submitterPod, status: { message: ofAnother } }))).toHaveLength(1);
  });

  const spec = { submissionMode: 'HTTPMode' } as const;

  it('reports a failed job with its reason, the first line of its message and the last error', () => {
    const message = 'Job entrypoint command failed with exit code 1:\nTraceback:\n  File "a.py"\nValueError: no luck\n';
    expect(failed(message, { spec })).toEqual([
      'Warning RayJobFailed: AppFailed: Job entrypoint command failed with exit code 1: ValueError: no luck',
    ]);
  });

  it('has the last error also after a very long first line', () => {
    const [event = ''] = failed(`${'x'.repeat(20_000)}\nValueError: no luck`, { spec });
    expect(event).toMatch(/: ValueError: no luck$/);
    expect(event.length).toBeLessThan(1024);
  });

  it('does not repeat a long line', () => {
    const [event = ''] = failed('x'.repeat(20_000), { spec });
    expect(event).toBe(`Warning RayJobFailed: AppFailed: ${'x'.repeat(499)}…`);
  });

  it('reports that the operator retries the job', () => {
    expect(failed('no luck', { spec: { ...spec, backoffLimit: 1 } })).toEqual([
      'Warning RayJobFailed: AppFailed: no luck. The operator retries the job.',
    ]);
  });

  it('is not repeated for a job that has failed', () => {
    const status = { jobDeploymentStatus: 'Failed', jobStatus: 'FAILED', reason: 'AppFailed' } as const;
    expect(eventsOf(running({ status }))).toEqual([]);
  });
});

describe('message of a RayJob whose runtime environment failed', () => {
  it('begins with the package that pip could not install', () => {
    const ray =
      'runtime_env setup failed: Failed to set up runtime environment.\npip install failed\nERROR: No matching distribution found for numpyy';
    const { status } = planJob(
      running({ answer: says('FAILED', { message: ray }), spec: { submissionMode: 'HTTPMode' } }),
    );
    expect(status?.message).toBe(`pip could not install numpyy: no matching distribution\n${ray}`);
    expect(
      eventsOf(running({ answer: says('FAILED', { message: ray }), spec: { submissionMode: 'HTTPMode' } })),
    ).toEqual(['Warning RayJobFailed: AppFailed: pip could not install numpyy: no matching distribution']);
  });
});
