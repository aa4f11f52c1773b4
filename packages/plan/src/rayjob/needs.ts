import { Annotation, isManagedExternally, JobDeploymentStatus, JobSubmissionMode } from '@manta/api';
import { isHeadless } from './head.ts';
import type { RayJobMemory } from './memory.ts';
import type { ObservedRayJob } from './observed.ts';
import { type JobState, jobStateOf } from './state.ts';
import { isCutOffByDeadline } from './stop-job.ts';
import { isSubmissionBackingOff } from './submission.ts';
import {
  expiryTime,
  hasExpired,
  msToActiveDeadline,
  msToClusterAbsenceTimeout,
  msToClusterLoss,
  msToStatusCheckTimeout,
} from './timers.ts';

/** What else has to be read before `planRayJob` can decide. */
export interface RayJobNeeds {
  /** The caches may be stale in a way that matters: everything is read from the API server. */
  readonly live: boolean;
  /** The Ray head that questions and commands go to; absent: no head is needed. */
  readonly head?: HeadNeed;
  /** A question for that head; absent: Ray is not asked about the job. */
  readonly question?: JobQuestion;
}

export interface HeadNeed {
  /** The recorded address of the head's dashboard; undefined: the cluster's current one. */
  readonly address: string | undefined;
  /** The head's token is read from the API server, not from the cache. */
  readonly isFresh: boolean;
}

export interface JobQuestion {
  readonly jobId: string;
  /** Answers to questions asked before this moment are too old. */
  readonly newerThan: number | undefined;
}

/**
 * What else must be read. Asked with cached objects, then again with Ray's answer: an answer may show that the caches are behind. With
 * objects from the API server, `live` has no further effect.
 */
export function rayJobNeeds(observed: ObservedRayJob, memory: RayJobMemory): RayJobNeeds {
  const state = jobStateOf(observed, memory);
  const head = headNeed(state);
  const question = questionForRay(state);
  return {
    live: LIVE_READS.some((isNeeded) => isNeeded(state)),
    ...(head === undefined ? {} : { head }),
    ...(question === undefined ? {} : { question }),
  };
}

/** Situations in which a stale cache would lead to a wrong decision. */
const LIVE_READS: readonly ((state: JobState) => boolean)[] = [
  seesOrphanedCluster,
  seesEndOfOldPods,
  seesLossOfClusterOrHead,
  seesJobUnknownToRay,
];

/** The cluster looks orphaned, but a newer version of the job may name it. */
function seesOrphanedCluster({ orphanedClusters = [] }: JobState): boolean {
  return orphanedClusters.length > 0;
}

/** No pod of the former attempt is visible, and the user wants no two attempts to overlap. */
function seesEndOfOldPods({ job, status, cluster, podCount }: JobState): boolean {
  const { Retrying, Suspending } = JobDeploymentStatus;
  const isTearingDown = status.jobDeploymentStatus === Retrying || status.jobDeploymentStatus === Suspending;
  const isTornDown = isTearingDown && cluster === undefined && podCount === 0;
  return isTornDown && job.metadata?.annotations?.[Annotation.WaitForOldPods] === 'true';
}

/** The job's cluster or head looks lost, and the plan would act on that. */
function seesLossOfClusterOrHead(state: JobState): boolean {
  const { mode, status, cluster, isClusterUncreated, job } = state;
  const isRunning = status.jobDeploymentStatus === JobDeploymentStatus.Running;
  const isStarting = status.jobDeploymentStatus === JobDeploymentStatus.Initializing && !isClusterUncreated;
  if (job.metadata?.deletionTimestamp !== undefined || isManagedExternally(job.spec)) return false;
  if (mode !== JobSubmissionMode.Sidecar)
    return isRunning && cluster === undefined && hasExpired(msToClusterAbsenceTimeout(state));
  if (cluster === undefined) return (isRunning || isStarting) && msToClusterLoss(state) <= 0;
  return isRunning && isHeadless(state);
}

/**
 * HTTPMode: Ray does not know a job that was, or may have been, submitted before. The head that says so may be newer than the caches, and
 * the job is submitted to a new head only after that was recorded.
 */
function seesJobUnknownToRay({ answer, job, submission, now, memory }: JobState): boolean {
  const isUnknown = answer.kind === 'answered' && answer.report === undefined;
  if (!isUnknown || job.spec?.submissionMode !== JobSubmissionMode.HTTP || submission?.state === 'running')
    return false;
  if (isSubmissionBackingOff({ submission, now })) return false;
  return submission !== undefined || memory.handedOverJobId !== job.status?.jobId;
}

/** A head is needed while the job runs, and if it may run although it was cut off by a deadline or is being deleted. */
function headNeed({ job, status, cluster, submitter }: JobState): HeadNeed | undefined {
  const { jobDeploymentStatus, dashboardURL } = status;
  const isDeleted = job.metadata?.deletionTimestamp !== undefined;
  const isCutOff = isCutOffByDeadline(status);
  const mayRun = jobDeploymentStatus === JobDeploymentStatus.Running || isDeleted || isCutOff;
  // A submitter may have submitted the job before the status recorded the address.
  const isSidecar = isCutOff && job.spec?.submissionMode === JobSubmissionMode.Sidecar;
  const mayBeSubmitted = dashboardURL !== undefined || isSidecar || submitter !== undefined;
  return cluster !== undefined && mayBeSubmitted && mayRun ? { address: dashboardURL, isFresh: isDeleted } : undefined;
}

/** Ray is asked about running jobs only. */
function questionForRay(state: JobState): JobQuestion | undefined {
  const { spec, status, submission, now, job, endSeenAt } = state;
  const isRunning = status.jobDeploymentStatus === JobDeploymentStatus.Running;
  if (!isRunning || job.metadata?.deletionTimestamp !== undefined || !status.jobId) return undefined;
  if (spec.suspend === true) return questionBeforeSuspension(state, status.jobId);
  const moments = [
    endSeenAt,
    // A submission in the future stems from a clock that was set back. The operator does not wait for it: a second submission is harmless.
    submission?.state === 'done' && submission.at <= now ? submission.at : undefined,
    expiryTime(msToActiveDeadline(state), now),
    // A failing head is asked less often when many heads fail, so its last failure may be old.
    expiryTime(msToStatusCheckTimeout(state), now),
  ].filter((moment) => moment !== undefined);
  return { jobId: status.jobId, newerThan: moments.length === 0 ? undefined : Math.max(...moments) };
}

/**
 * Before a suspension any answer is recent enough, unless the submitter has ended since. A job id that the user has just set (InteractiveMode)
 * is not asked for.
 */
function questionBeforeSuspension({ mode, status, endSeenAt }: JobState, jobId: string): JobQuestion | undefined {
  const isNeverReported = mode === JobSubmissionMode.Interactive && status.jobStatus === undefined;
  return isNeverReported ? undefined : { jobId, newerThan: endSeenAt };
}
