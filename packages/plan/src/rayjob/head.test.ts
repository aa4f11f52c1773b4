import { type Condition, RayClusterConditionReason, type RayJobStatus } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { headPod, NOW } from '../testing/observed.ts';
import { hasHadReadyHead, recordsFirstReadyHead } from './head.ts';
import { canDebounceStatus } from './status.ts';
import {
  ago,
  check,
  cluster,
  initializing,
  type JobOptions,
  running,
  sidecar,
  planJob,
  needsOfJob,
} from './testing/observed-job.ts';

const SPEC = { submissionMode: 'SidecarMode' } as const;
const attempt = { number: 1, rayClusterName: 'job-x', submissionId: 'job-id', startTime: ago(60) };
const attempts = [attempt];
const said = (type: string, status: 'True' | 'False', secondsAgo: number): Condition => ({
  type,
  status,
  reason: 'Said',
  message: '',
  lastTransitionTime: ago(secondsAgo),
});
const provisioning = said('RayClusterProvisioned', 'False', 50);
const IS_READY = { conditions: [said('HeadPodReady', 'True', 9), provisioning] };
const WAS_READY = { conditions: [said('HeadPodReady', 'False', 9), provisioning] };
const NEVER_READY = { conditions: [said('HeadPodReady', 'False', 50), provisioning] };

/** The cluster of a job that is submitted from within its head has been missed for so long while it was to come up. */
const without = (seconds: number, status: RayJobStatus = {}, options: JobOptions = {}) =>
  initializing({
    cluster: undefined,
    memory: { clusterMissingSince: NOW - seconds * 1000 },
    ...options,
    spec: { ...SPEC, ...options.spec },
    status: { attempts, ...status },
  });

describe('a cluster with a head that submits, and that is gone before it was ready as a whole', () => {
  check({
    'is made by whoever has written its name down and knows that it was never made': [
      without(0, {}, { memory: { uncreatedCluster: 'job-x' } }),
      'create RayCluster job-x',
    ],
    'is not made at once by anybody else': [without(4)],
    'is not made again when its head was ready': [without(5, { rayClusterStatus: IS_READY }), '→ Failed/- AppFailed'],
    'is not made again when its head was ready once, though not at its end': [
      without(5, { rayClusterStatus: WAS_READY }),
      '→ Failed/- AppFailed',
    ],
    'is tried anew when its head was ready, where the job may be': [
      without(5, { rayClusterStatus: WAS_READY }, { spec: { backoffLimit: 1 } }),
      '→ Retrying/- AppFailed',
    ],
    'is not made again before it is told that the job may run once more': [
      without(5, { rayClusterStatus: NEVER_READY }),
      '→ Initializing/-',
    ],
    'is not made again before that is told in an annotation, where there is no room for attempts': [
      without(5, { rayClusterStatus: NEVER_READY, attempts: undefined as never }),
      'patch RayJob job',
      '→ Initializing/-',
    ],
    'is made again at once in any other mode': [
      without(0, {}, { spec: { submissionMode: 'K8sJobMode' } }),
      'create RayCluster job-x',
    ],
  });

  it('leaves a word of the attempt that may have run', () => {
    const { status, memory } = planJob(without(5));
    expect(memory?.clusterToRecord).toEqual({ name: 'job-x', isStored: false });
    expect(status?.attempts).toMatchObject([
      { number: 1, outcome: 'Lost' },
      { number: 2, rayClusterName: 'job-x', submissionId: 'job-id' },
    ]);
    expect(status?.message).toBe(
      'RayCluster default/job-x is not there, and may have run job job-id before: it is made again, and runs the job',
    );
  });
});

describe('a head that submits, and that its cluster replaces before it was ready as a whole', () => {
  const head = (podName: string) => ({ head: { podName } });
  const replaced = (before: RayJobStatus['rayClusterStatus'], state?: 'ready', change: RayJobStatus = {}) =>
    initializing({
      spec: SPEC,
      cluster: cluster(state, { status: { ...(state && { state }), ...WAS_READY, ...head('second') } }),
      heads: [sidecar(), headPod({ name: 'second' })],
      status: { attempts, rayClusterStatus: { ...head('first'), ...before }, ...change },
    });
  const numbers = (observed: ReturnType<typeof replaced>) =>
    planJob(observed).status?.attempts?.map(({ number, outcome }) => [number, outcome]);

  it('leaves a word of the run that is lost when it had been ready', () => {
    expect(numbers(replaced(IS_READY))).toEqual([
      [1, 'Lost'],
      [2, undefined],
    ]);
    expect(numbers(replaced(IS_READY, 'ready'))).toEqual([
      [1, 'Lost'],
      [2, undefined],
    ]);
  });

  const unkept = { attempts: undefined as never };
  check({
    'is told of in an annotation, where there is no room for attempts': [
      replaced(IS_READY, undefined, unkept),
      'patch RayJob job',
      '→ Initializing/-',
    ],
    'is told of in one also when all of the cluster is there by then': [
      replaced(IS_READY, 'ready', unkept),
      'patch RayJob job',
      '→ Running/-',
    ],
  });

  it.each(['Initializing', 'Running'])('is told of once, in words, and not later than anything else: %s', (stage) => {
    const observed = replaced(IS_READY, stage === 'Running' ? 'ready' : undefined, unkept);
    const { status = {}, actions } = planJob(observed);
    const why = 'Head Pod first of RayCluster default/job-x was replaced by second, which runs job job-id once more';
    expect(status.message).toBe(why);
    expect(actions).toMatchObject([
      { patch: { metadata: { annotations: { 'ray.io/last-attempt': `${ago(0)} ${why}` } } } },
    ]);
    expect(canDebounceStatus(observed.job, status)).toBe(false);
    const after = planJob({ ...observed, job: { ...observed.job, status } });
    expect(after.actions.filter(({ type }) => type === 'patch')).toEqual([]);
  });

  it('is told of as restarted when it is the same pod', () => {
    const { head: record } = headPod();
    const heads = [headPod({ name: 'second', ...(record && { head: { ...record, restarts: 1 } }) })];
    const observed = { ...replaced({ ...IS_READY, ...head('second') }), heads };
    expect(planJob(observed).status?.message).toBe(
      'Ray was restarted in head Pod second of RayCluster default/job-x, and may run job job-id once more',
    );
  });

  it('leaves that word also when its successor comes late', () => {
    const { HeadPodNotFound } = RayClusterConditionReason;
    const gone = { ...said('HeadPodReady', 'False', 9), reason: HeadPodNotFound };
    const lost = { conditions: [gone, provisioning], ...head('first') };
    const status = { attempts, rayClusterStatus: { ...IS_READY, ...head('first') } };
    const between = planJob(initializing({ spec: SPEC, cluster: cluster(undefined, { status: lost }), status }));
    expect(between.status?.attempts).toHaveLength(1);
    expect(numbers(replaced(between.status?.rayClusterStatus))).toHaveLength(2);
  });

  it('needs no word when it had not', () => {
    expect(numbers(replaced(NEVER_READY))).toEqual([[1, undefined]]);
  });
});

describe('a head that submits, and that is gone from a cluster which was there as a whole, but never called itself ready', () => {
  const headless = (reason: string, options: JobOptions = {}) => {
    const lost = { ...said('HeadPodReady', 'False', 9), reason };
    const status = { conditions: [lost, said('RayClusterProvisioned', 'True', 20)], head: { podName: 'first' } };
    return initializing({
      spec: SPEC,
      cluster: cluster(undefined, { status }),
      ...options,
      status: { attempts, rayClusterStatus: status, ...options.status },
    });
  };
  const gone = headless('HeadPodNotFound');
  const followed = { ...gone.job, status: { ...gone.job.status, ...planJob(gone).status } };
  check({
    'is not waited for, as none comes after it': [gone, '→ Running/-'],
    'fails the job then': [{ ...gone, job: followed }, 'create Service job-head-svc', '→ Failed/- AppFailed'],
    'is waited for while it is only not ready': [headless('ContainersNotReady')],
    'is waited for in any other mode': [headless('HeadPodNotFound', { spec: { submissionMode: 'K8sJobMode' } })],
  });

  it('is made sure of before the job fails', () => {
    expect(needsOfJob({ ...gone, job: followed }).live).toBe(true);
  });
});

describe('whether a cluster has had a head that was ready', () => {
  it.each([
    ['is sure when it has one', IS_READY, true],
    ['is sure when it had one', WAS_READY, true],
    ['is sure when all of it was there', { conditions: [said('RayClusterProvisioned', 'True', 5)] }, true],
    ['is denied when it says that it never did', NEVER_READY, false],
    ['is denied when it says nothing', {}, false],
  ])('%s', (_, status, expected) => {
    expect(hasHadReadyHead(status)).toBe(expected);
  });

  it('is written down at once, and only where the head submits', () => {
    const news = (spec: JobOptions['spec'], before: object) =>
      recordsFirstReadyHead(without(0, { rayClusterStatus: before }, { spec: spec ?? {} }).job, {
        rayClusterStatus: IS_READY,
      });
    expect(news(SPEC, NEVER_READY)).toBe(true);
    expect(news(SPEC, WAS_READY)).toBe(false);
    expect(news({ submissionMode: 'HTTPMode' }, NEVER_READY)).toBe(false);
  });
});

describe('a loss is made sure of', () => {
  const http = { submissionMode: 'HTTPMode' } as const;
  const gone = (seconds: number) => ({ cluster: undefined, memory: { clusterMissingSince: NOW - seconds * 1000 } });
  it.each([
    ['before a job fails with its cluster', running({ spec: SPEC, ...gone(5) }), true],
    ['not before anything is decided', running({ spec: SPEC, ...gone(4) }), false],
    ['before a job fails with its head', running({ spec: SPEC, heads: [] }), true],
    ['not while there is a head', running({ spec: SPEC, heads: [sidecar()] }), false],
    ['before a cluster is made again', without(5), true],
    ['not before it is made for the first time', without(5, {}, { memory: { uncreatedCluster: 'job-x' } }), false],
    ['before a job of another mode is lost', running({ spec: http, ...gone(300) }), true],
    ['not where the cluster of another mode just comes back', running({ spec: http, ...gone(299) }), false],
    [
      'not for a job that somebody else manages',
      running({ spec: { ...SPEC, managedBy: 'kueue.x-k8s.io/multikueue' }, ...gone(5) }),
      false,
    ],
    [
      'not for a job that is being deleted',
      running({ spec: SPEC, ...gone(5), metadata: { deletionTimestamp: ago(1) } }),
      false,
    ],
  ])('%s', (_, observed, expected) => {
    expect(needsOfJob(observed).live).toBe(expected);
  });
});
