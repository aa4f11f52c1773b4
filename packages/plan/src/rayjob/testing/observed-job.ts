import type { Environment, FeatureGates, RayCluster, RayJob, RayJobSpec, RayJobStatus } from '@manta/api';
import { rayJob } from '@manta/api/testing';
import { expect, it } from 'vitest';
import type { JobRecord, PodRecord } from '../../raycluster/observed.ts';
import { buildContext } from '../../testing/build-context.ts';
import { headPod, headService, NOW } from '../../testing/observed.ts';
import { say } from '../../testing/plan-in-words.ts';
import { EMPTY_RAYJOB_MEMORY, type RayJobMemory } from '../memory.ts';
import { type RayJobNeeds, rayJobNeeds } from '../needs.ts';
import type { CommandView, JobAnswer, JobReport, ObservedRayJob } from '../observed.ts';
import { planRayJob, type RayJobPlan } from '../plan.ts';

/** An observed job, and the operator's memory of it. */
export interface JobScene extends ObservedRayJob {
  readonly memory: RayJobMemory;
}

/** What a test may change about a job and its surroundings. */
export interface JobOptions extends Partial<Omit<JobScene, 'job' | 'context'>> {
  readonly spec?: Partial<RayJobSpec>;
  readonly metadata?: RayJob['metadata'];
  readonly status?: RayJobStatus;
  readonly env?: Environment;
  readonly gates?: Partial<FeatureGates>;
}

export const FINALIZER = 'ray.io/rayjob-finalizer';
const { uid: UID = '', namespace: NAMESPACE = '' } = rayJob('job').metadata ?? {};

/** The job `default/job` with the given differences, before its first reconcile. */
export function observedJob({ spec, metadata, status, env, gates, ...rest }: JobOptions = {}): JobScene {
  const plain = rayJob('job');
  const job: RayJob = {
    ...plain,
    metadata: { ...plain.metadata, resourceVersion: '7', ...metadata },
    spec: { backoffLimit: 0, ...plain.spec, ...spec },
    ...(status === undefined ? {} : { status }),
  };
  return {
    now: NOW,
    steady: NOW,
    memory: EMPTY_RAYJOB_MEMORY,
    job,
    cluster: undefined,
    heads: [],
    blockedPods: [],
    podCount: 0,
    submitter: undefined,
    headService: undefined,
    address: { isFound: true, address: 'job-x-head-svc.default.svc.cluster.local:8265' },
    answer: { kind: 'unasked' },
    submission: undefined,
    stopping: undefined,
    context: buildContext({ ...(env === undefined ? {} : { env }), ...(gates === undefined ? {} : { gates }) }),
    parseYaml: (text) => new Map([['text', text]]),
    ...rest,
  };
}

export const STARTED: RayJobStatus = {
  jobId: 'job-id',
  rayClusterName: 'job-x',
  startTime: ago(60),
  failed: 0,
  succeeded: 0,
};

/** A job whose cluster is starting. */
export function initializing({ status, ...options }: JobOptions = {}): JobScene {
  const metadata = { finalizers: [FINALIZER] };
  const stage = { ...STARTED, jobDeploymentStatus: 'Initializing', ...status } as const;
  return observedJob({ metadata, cluster: cluster('ready'), ...options, status: stage });
}

/** A job that Ray runs, with all its objects. */
export function running({ status, ...options }: JobOptions = {}): JobScene {
  return initializing({
    submitter: submitter(),
    headService: headService({ owner: UID, selectsCluster: 'job-x' }),
    heads: [headPod({ cluster: 'job-x' })],
    ...options,
    status: {
      dashboardURL: 'job-x-head-svc.default.svc.cluster.local:8265',
      jobStatus: 'RUNNING',
      rayClusterStatus: { state: 'ready' },
      jobDeploymentStatus: 'Running',
      ...status,
    },
  });
}

/** A job that has ended. */
export function ended(options: JobOptions = {}): JobScene {
  const endTime = ago(10);
  const status = { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED', endTime, ...options.status } as const;
  return running({ ...options, status });
}

/** The job's own cluster. */
export function cluster(state?: 'ready', change: Partial<RayCluster> = {}): RayCluster {
  return {
    metadata: {
      name: 'job-x',
      namespace: NAMESPACE,
      uid: 'cluster-uid',
      ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayJob', name: 'job', uid: UID, controller: true }],
    },
    spec: rayJob('job').spec?.rayClusterSpec ?? { headGroupSpec: { template: {} } },
    ...(state === undefined ? {} : { status: { state } }),
    ...change,
  };
}

/** The Kubernetes Job that submits. */
export function submitter(options: Partial<JobRecord> = {}): JobRecord {
  return { name: 'job', uid: 'submitter-uid', owner: UID, outcome: undefined, ...options };
}

/** A submitter that ended some seconds ago. */
export const done = (secondsAgo = 1) => submitter({ outcome: 'Complete', finishedAt: NOW - secondsAgo * 1000 });

/** A submitter that has used up its retries. */
export const gaveUp = (secondsAgo = 1) =>
  submitter({
    outcome: 'Failed',
    finishedAt: NOW - secondsAgo * 1000,
    failure: { reason: 'BackoffLimitExceeded', message: 'three times' },
  });

/** An answer of Ray about the job. */
export function says(status: string, report: Partial<JobReport> = {}): JobAnswer {
  return { kind: 'answered', at: NOW, report: { status, message: '', startTime: 0, endTime: 0, ...report } };
}

export const DOES_NOT_KNOW: JobAnswer = { kind: 'answered', at: NOW, report: undefined };
export const IS_SILENT: JobAnswer = {
  kind: 'failing',
  why: 'no answer',
  since: NOW,
  at: NOW,
  isMalformed: false,
};
export const SUBMITTED: CommandView = { state: 'done', at: NOW - 1 };

/** Events that repeat what the status says; `trouble.test.ts` covers them. */
const TROUBLE: readonly string[] = ['RayJobFailed', 'RayClusterNotReady', 'SubmitterNotStarted'];

/** A plan in a few words: its actions except events of trouble, then the two statuses and the reason. */
export function inWords(plan: RayJobPlan): readonly string[] {
  const { actions, status } = plan;
  const stage = status === undefined ? [] : [stageOf(status)];
  const told = actions.filter((action) => action.type !== 'event' || !TROUBLE.includes(action.event.reason));
  return [...told.map(say), ...stage];
}

/** The plan for a job. */
export function planJob(scene: JobScene): RayJobPlan {
  return planRayJob(scene, scene.memory);
}

/** What else has to be read about a job. */
export function needsOfJob(scene: JobScene): RayJobNeeds {
  return rayJobNeeds(scene, scene.memory);
}

/** The plan for a job, as a readable list. */
export function planned(scene: JobScene): readonly string[] {
  return inWords(planJob(scene));
}

/** Test titles, each with a job and the plan for it. */
export type Table = Readonly<Record<string, readonly [JobScene, ...(readonly string[])]>>;

/** One test for each title. */
export function check(table: Table): void {
  it.each(Object.entries(table))('%s', (_, [observed, ...expected]) => {
    expect(planned(observed)).toEqual(expected);
  });
}

/** A time some seconds before now, in the form of a status. */
export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString().replace('.000', '');
}

function stageOf({ jobDeploymentStatus, jobStatus, reason }: RayJobStatus): string {
  const words = [`${jobDeploymentStatus ?? 'New'}/${jobStatus ?? '-'}`, reason].filter((word) => word !== undefined);
  return `→ ${words.join(' ')}`;
}

/** A head pod whose submitter has ended with this code, or still runs without one. */
export function sidecar(exitCode?: number, restartCount = 0): PodRecord {
  const { head } = headPod();
  if (head === undefined) throw new Error('a head pod has a head record');
  const finishedAt = exitCode === undefined ? undefined : NOW - 1000;
  const container = { exitCode, reason: 'Error', finishedAt, restartCount, hasEndedBefore: restartCount > 0 };
  return headPod({ cluster: 'job-x', head: { ...head, submitter: container } });
}
