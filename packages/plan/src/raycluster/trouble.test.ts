import type { RayClusterStatus } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { group, headPod, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { rayClusterNeeds } from './needs.ts';
import { planRayCluster } from './plan.ts';
import type { PodRecord } from './observed.ts';

const NO_ROOM = 'cannot be scheduled: 0/1 nodes are available: 1 Insufficient cpu.';
const ROOM = 'asks for 64 CPUs; the largest node has 4, 1.5 free';
const MESSAGE = `${NO_ROOM} The pod ${ROOM}.`;
const PULL = 'container ray: image ray:nope cannot be pulled';
const CRASH = 'container ray: CrashLoopBackOff: back-off 10s restarting failed container';

const head = (
  trouble: string | undefined,
  readiness = { status: 'False', reason: 'Unknown', message: '' } as const,
) => {
  const plain = headPod();
  const waiting = { phase: 'Pending', ready: undefined, podIP: '', node: '' };
  return headPod({ ...waiting, trouble, head: plain.head === undefined ? undefined : { ...plain.head, readiness } });
};

interface Outcome {
  readonly status: RayClusterStatus;
  readonly warnings: readonly string[];
}

/** The plan, and the status after it; as stored if the plan does not change it. */
function plan(pods: readonly PodRecord[], headRoom?: string, options: ObservedOptions = {}): Outcome {
  const seen = { ...observed({ spec: { workerGroupSpecs: [group()] }, ...options, pods }), headRoom };
  const { actions, statusAfter } = planRayCluster(seen);
  return {
    status: statusAfter?.({ kind: 'done' }) ?? options.status ?? {},
    warnings: actions.flatMap((action) =>
      action.type === 'event' && action.event.severity === 'Warning'
        ? [`${action.event.reason}: ${action.event.note}`]
        : [],
    ),
  };
}

const headPodReady = ({ status }: Outcome) => status.conditions?.find(({ type }) => type === 'HeadPodReady');

describe('a RayCluster whose head no node has room for', () => {
  it('says what the head asks for and what the nodes have', () => {
    const outcome = plan([head(NO_ROOM)], ROOM);
    expect(headPodReady(outcome)).toMatchObject({ status: 'False', reason: 'Unschedulable', message: MESSAGE });
    expect(outcome.status.reason).toBe('Unschedulable');
    expect(outcome.warnings).toEqual([`PodNotStarting: Pod ml/demo-head-abcde: ${MESSAGE}`]);
  });

  it("has the scheduler's message if the operator may not read nodes", () => {
    expect(headPodReady(plan([head(NO_ROOM)]))?.message).toBe(NO_ROOM);
  });

  it('keeps its message and warns no more while the scheduler says the same', () => {
    const { status } = plan([head(NO_ROOM)], ROOM);
    const later = plan([head(NO_ROOM)], 'asks for 64 CPUs; the largest node has 4, 0.5 free', { status });
    expect(later.status).toBe(status);
    expect(later.warnings).toEqual([]);
  });

  const needs = (status?: RayClusterStatus) => {
    const seen = observed({ pods: [head(NO_ROOM)], ...(status === undefined ? {} : { status }) });
    return rayClusterNeeds(seen, 0).roomFor?.name;
  };

  it('needs to know the room until the status reports it', () => {
    expect(needs()).toBe('demo-head-abcde');
    expect(needs(plan([head(NO_ROOM)], ROOM).status)).toBeUndefined();
  });

  it('says what a new head asks for, whatever an earlier one asked for', () => {
    const { status } = plan([head(NO_ROOM)], ROOM);
    const ofEarlier = { ...status, head: { ...status.head, podName: 'demo-head-earlier' } };
    expect(needs(ofEarlier)).toBe('demo-head-abcde');
    const now = plan([head(NO_ROOM)], 'asks for 32 CPUs; the largest node has 4', { status: ofEarlier });
    expect(headPodReady(now)?.message).toBe(`${NO_ROOM} The pod asks for 32 CPUs; the largest node has 4.`);
  });
});

describe('status.reason of a RayCluster', () => {
  it.each<[string, readonly PodRecord[], string | undefined]>([
    ['is empty while all pods run', [headPod(), worker(0)], undefined],
    ['names an image that cannot be pulled', [head(PULL)], 'ImagePull'],
    ['names a container that crashes', [headPod(), worker(0, { trouble: CRASH, ready: 'False' })], 'CrashLoopBackOff'],
    ['names the trouble of the head before that of workers', [worker(0, { trouble: CRASH }), head(PULL)], 'ImagePull'],
  ])('%s', (_, pods, reason) => {
    expect(plan(pods).status.reason).toBe(reason);
  });

  it('stays while a crashing container runs in between, and is removed when all pods run', () => {
    const { status } = plan([headPod(), worker(0, { trouble: CRASH, ready: 'False' })]);
    const between = plan([headPod(), worker(0, { ready: 'False' })], undefined, { status });
    expect(between.status.reason).toBe('CrashLoopBackOff');
    const again = plan([headPod(), worker(0, { trouble: CRASH, ready: 'False' })], undefined, {
      status: between.status,
    });
    expect(again.warnings).toEqual([]);
    expect(plan([headPod(), worker(0)], undefined, { status }).status.reason).toBeUndefined();
  });

  it('names a creation that is refused', () => {
    const seen = observed({ pods: [] });
    const outcome = { kind: 'failed', message: 'exceeded quota', failure: 'FailedCreateHeadPod' } as const;
    expect(planRayCluster(seen).statusAfter?.(outcome)?.reason).toBe('FailedCreateHeadPod');
  });
});
