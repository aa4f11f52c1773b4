import {
  type Condition,
  isConditionTrue,
  isManagedExternally,
  JobDeploymentStatus,
  JobFailedReason,
  JobSubmissionMode,
  RayClusterConditionType,
  type RayClusterStatus,
  type RayJob,
  type RayJobStatus,
} from '@manta/api';
import { headInStatus } from '../raycluster/head-name.ts';
import { isOver } from './deadlines.ts';
import { placeOf } from './head-session.ts';
import type { ObservedRayJob } from './observed.ts';
import { msToAbsenceTimeout } from './status-check.ts';
import { fail, type Step, stay } from './step.ts';
import { type Subject, subjectOf } from './subject.ts';

/** What is said of a job that lived in its head pod, which is gone. */
export const NO_HEAD = 'Ray head pod not found.';
/** Our view of clusters may be behind that of jobs. */
const GONE_MS = 5_000;

/** The cluster of a job that was submitted from within its head is gone, and with it the job. */
export function withoutHeadToRunIn(subject: Subject): Step {
  const leftMs = msToLoss(subject);
  return leftMs > 0 ? stay([], leftMs) : fail(subject, JobFailedReason.AppFailed, NO_HEAD);
}

/** Milliseconds until a cluster that is missed counts as gone. */
export function msToLoss({ missingSince, now }: Subject): number {
  return (missingSince ?? now) + GONE_MS - now;
}

/** Whether there is no head, as far as pods and their cluster show: our view of pods may be behind that of clusters. */
export function isHeadless({ heads, cluster }: Subject): boolean {
  return heads.length === 0 && headInStatus(cluster?.status) === undefined;
}

/**
 * Whether it looks as if a job had lost what it runs on, and something is to be done about it. Copies that are behind look the same, so that
 * this has to be made sure of first.
 */
export function isLossInQuestion(observed: ObservedRayJob): boolean {
  const subject = subjectOf(observed);
  const { mode, status, cluster, isUnmade, job } = subject;
  const isRunning = status.jobDeploymentStatus === JobDeploymentStatus.Running;
  const isComing = status.jobDeploymentStatus === JobDeploymentStatus.Initializing && isUnmade !== true;
  if (job.metadata?.deletionTimestamp !== undefined || isManagedExternally(job.spec)) return false;
  if (mode !== JobSubmissionMode.Sidecar)
    return isRunning && cluster === undefined && isOver(msToAbsenceTimeout(subject));
  if (cluster === undefined) return (isRunning || isComing) && msToLoss(subject) <= 0;
  return isRunning && isHeadless(subject);
}

/**
 * Whether a cluster has had a head that was ready, be it so now or not. The time of a condition changes with its verdict only: a head that is
 * not ready, and was always so, is told of from the same moment on as that there are pods to come.
 */
export function hasHadHead({ conditions = [] }: RayClusterStatus = {}): boolean {
  const { HeadPodReady, Provisioned } = RayClusterConditionType;
  if (isConditionTrue(conditions, HeadPodReady) || isConditionTrue(conditions, Provisioned)) return true;
  return toldAt(conditions, HeadPodReady) > toldAt(conditions, Provisioned);
}

function toldAt(conditions: readonly Condition[], type: string): number {
  return Date.parse(conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? '');
}

/** Whether a status shows for the first time that there was a head which may run the job by itself: such news must not wait. */
export function isNewsOfHead({ spec, status }: RayJob, after: RayJobStatus): boolean {
  const isInHead = spec?.submissionMode === JobSubmissionMode.Sidecar;
  return isInHead && hasHadHead(after.rayClusterStatus) && !hasHadHead(status?.rayClusterStatus);
}

/** Whether the head that may have run the job by itself was replaced by another, which then runs it once more. */
export function isHeadReplaced(subject: Subject): boolean {
  const { mode, status } = subject;
  const mayHaveRun = mode === JobSubmissionMode.Sidecar && hasHadHead(status.rayClusterStatus);
  return mayHaveRun && placeOf(subject) === 'another head';
}
