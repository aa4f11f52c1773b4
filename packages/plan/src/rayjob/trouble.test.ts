import type { Condition } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { worker } from '../testing/observed.ts';
import { cluster, initializing, running, planJob } from './testing/observed-job.ts';

const PULL = 'container ray: image ray:nope cannot be pulled';
const pods = (...numbers: readonly number[]) => numbers.map((index) => worker(index, { trouble: PULL }));
type Options = NonNullable<Parameters<typeof initializing>[0]>;
const told = (options: Options) => planJob(initializing({ cluster: cluster(), ...options })).status?.message;

describe('what keeps a cluster from coming up', () => {
  it('is told at once, by the pod', () => {
    expect(told({ blockedPods: pods(1) })).toBe(`The cluster does not come up: pod demo-small-worker-1: ${PULL}`);
  });

  it('is told by one pod for all', () => {
    expect(told({ blockedPods: pods(2, 1, 3) })).toContain('pod demo-small-worker-1 (and 2 more): ');
  });

  it('is what the cluster says when pods cannot even be made', () => {
    const condition: Condition = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreateHeadPod',
      message: 'FailedCreateHeadPod\nexceeded quota',
      lastTransitionTime: '2026-08-01T12:00:00Z',
    };
    const refused = cluster(undefined, { status: { conditions: [condition] } });
    expect(told({ cluster: refused })).toBe('The cluster does not come up: FailedCreateHeadPod exceeded quota');
  });

  it('is told once', () => {
    const message = `The cluster does not come up: pod demo-small-worker-1: ${PULL}`;
    expect(told({ blockedPods: pods(1), status: { message, rayClusterStatus: {} } })).toBeUndefined();
  });

  it('is no longer told when it is over', () => {
    const { status } = planJob(initializing({ cluster: cluster(), status: { message: 'old', rayClusterStatus: {} } }));
    expect(status).toBeDefined();
    expect(status).not.toHaveProperty('message');
    expect(planJob(initializing({ status: { message: 'old' } })).status).not.toHaveProperty('message');
  });

  it('is not told in a volume', () => {
    const trouble = 'x'.repeat(5000);
    expect(told({ blockedPods: [worker(1, { trouble })] })).toHaveLength(1024);
  });

  it('does not trouble a job that runs', () => {
    expect(planJob(running({ blockedPods: pods(1) })).status).toBeUndefined();
  });
});
