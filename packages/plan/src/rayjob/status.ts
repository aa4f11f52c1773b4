import { JobDeploymentStatus, JobFailedReason, RayJobState, type RayJobStatus } from '@manta/api';
import { timestamp } from '../shared/timestamp.ts';
import { withEnd } from './attempts.ts';
import { isMirrorOutdated, NO_CLUSTER_STATUS } from './mirror.ts';
import { hasEnded } from './pairs.ts';
import { changed } from './step.ts';
import type { Subject } from './subject.ts';

/** Failures after which trying again makes no sense: the time is over, or nobody knows whether the job still runs. */
const FINAL: readonly (string | undefined)[] = [
  JobFailedReason.DeadlineExceeded,
  JobFailedReason.JobStatusCheckTimeoutExceeded,
];

/**
 * The status as a stage leaves it, with what every stage owes: counters, retries and the end of an attempt. A job that goes on after its
 * spec was repaired has been counted before.
 */
export function accounted({ spec, status: before, now }: Subject, after: RayJobStatus): RayJobStatus {
  if (before.jobDeploymentStatus === JobDeploymentStatus.ValidationFailed) return blank(after);
  const isFailed = after.jobDeploymentStatus === JobDeploymentStatus.Failed;
  const isSuccess =
    after.jobDeploymentStatus === JobDeploymentStatus.Complete && after.jobStatus === RayJobState.Succeeded;
  const failed = (before.failed ?? 0) + (isFailed ? 1 : 0);
  const succeeded = (before.succeeded ?? 0) + (isSuccess ? 1 : 0);
  const isRetried = isFailed && failed <= (spec.backoffLimit ?? -1) && !FINAL.includes(after.reason);
  const moved = changed(blank(after), {
    failed,
    succeeded,
    ...(isRetried ? { jobDeploymentStatus: JobDeploymentStatus.Retrying } : {}),
  });
  return withEnd(before, moved, now);
}

/** A status always shows these, empty or not. */
export function blank(status: RayJobStatus): RayJobStatus {
  return { rayJobInfo: {}, rayClusterStatus: NO_CLUSTER_STATUS, failed: 0, succeeded: 0, ...status };
}

/** The status of a job whose cluster and submitter are gone: only what outlives an attempt is kept. */
export function afterAttempt({ startTime, endTime, succeeded, failed, attempts }: RayJobStatus): RayJobStatus {
  return changed(blank({}), { startTime, endTime, succeeded, failed, attempts });
}

/**
 * What is to be written; undefined when nothing is. Words and times alone are not worth a write, they go along with the next change of
 * what clients wait for.
 */
export function statusToWrite(before: RayJobStatus, after: RayJobStatus, now: number): RayJobStatus | undefined {
  if (!isWorthAWrite(before, after)) return undefined;
  if (!hasEnded(after)) return after;
  const isBack = before.jobDeploymentStatus === JobDeploymentStatus.ValidationFailed;
  return { ...after, endTime: isBack && after.endTime !== undefined ? after.endTime : timestamp(now) };
}

/** Stages whose message is what the user waits for. */
const NEWS: readonly (JobDeploymentStatus | undefined)[] = [
  JobDeploymentStatus.Initializing,
  JobDeploymentStatus.ValidationFailed,
];

/** Whether the change may wait for more of its kind: only the copy of the cluster's status differs. */
export function isOnlyMirror(before: RayJobStatus, after: RayJobStatus): boolean {
  return (
    before.jobStatus === after.jobStatus &&
    before.jobDeploymentStatus === after.jobDeploymentStatus &&
    before.jobStatusCheckFailureStartTime === after.jobStatusCheckFailureStartTime &&
    before.attempts?.at(-1)?.number === after.attempts?.at(-1)?.number &&
    // That a run is forgotten has to be known before the next one is begun.
    (before.rayJobInfo?.startTime === undefined || after.rayJobInfo?.startTime !== undefined) &&
    // What keeps a cluster from coming up, or is wrong with a spec, is news at once.
    (!NEWS.includes(after.jobDeploymentStatus) || before.message === after.message)
  );
}

function isWorthAWrite(before: RayJobStatus, after: RayJobStatus): boolean {
  return !isOnlyMirror(before, after) || isMirrorOutdated(before.rayClusterStatus, after.rayClusterStatus);
}
