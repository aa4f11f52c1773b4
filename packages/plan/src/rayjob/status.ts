import {
  JobDeploymentStatus,
  JobFailedReason,
  type RayJob,
  RayJobState,
  type RayJobStatus,
  timestamp,
} from '@manta/api';
import { withAttemptEnd } from './attempts.ts';
import { EMPTY_CLUSTER_STATUS, hasClusterStateChanged, isCopyOutdated } from './cluster-status-copy.ts';
import { recordsFirstReadyHead } from './head.ts';
import type { JobState } from './state.ts';
import { hasEnded } from './status-pairs.ts';
import { withFields } from './step.ts';
import { reportedSubmitterTrouble } from './trouble.ts';

/** Failures that are not retried: no time is left, or the job may still run. */
const FINAL_REASONS: readonly (string | undefined)[] = [
  JobFailedReason.DeadlineExceeded,
  JobFailedReason.JobStatusCheckTimeoutExceeded,
];

/**
 * Adds to a state's result what every state owes: success and failure counters, the decision to retry, and the attempt's end. A job that
 * recovers from a validation failure was counted before.
 */
export function withAttemptAccounting({ spec, status: before, now }: JobState, after: RayJobStatus): RayJobStatus {
  if (before.jobDeploymentStatus === JobDeploymentStatus.ValidationFailed) return withRequiredFields(after);
  const isFailed = after.jobDeploymentStatus === JobDeploymentStatus.Failed;
  const isSuccess =
    after.jobDeploymentStatus === JobDeploymentStatus.Complete && after.jobStatus === RayJobState.Succeeded;
  const failed = (before.failed ?? 0) + (isFailed ? 1 : 0);
  const succeeded = (before.succeeded ?? 0) + (isSuccess ? 1 : 0);
  const isRetried = isFailed && failed <= (spec.backoffLimit ?? -1) && !FINAL_REASONS.includes(after.reason);
  const counted = withFields(withRequiredFields(after), {
    failed,
    succeeded,
    ...(isRetried ? { jobDeploymentStatus: JobDeploymentStatus.Retrying } : {}),
  });
  return withAttemptEnd(before, counted, now);
}

/** Every written status has these fields, even if they are empty. */
export function withRequiredFields(status: RayJobStatus): RayJobStatus {
  return { rayJobInfo: {}, rayClusterStatus: EMPTY_CLUSTER_STATUS, failed: 0, succeeded: 0, ...status };
}

/** The status after a teardown: only fields that outlive an attempt. */
export function clearedForNextAttempt({ startTime, endTime, succeeded, failed, attempts }: RayJobStatus): RayJobStatus {
  return withFields(withRequiredFields({}), { startTime, endTime, succeeded, failed, attempts });
}

/**
 * The status to write; undefined if the change is not worth a write. A change of messages and times alone is written with the next change
 * that clients wait for.
 */
export function statusToWrite(before: RayJobStatus, after: RayJobStatus, now: number): RayJobStatus | undefined {
  const isWorthAWrite =
    !changesOnlyClusterCopy(before, after) || isCopyOutdated(before.rayClusterStatus, after.rayClusterStatus);
  if (!isWorthAWrite) return undefined;
  if (!hasEnded(after)) return after;
  const isRecovery = before.jobDeploymentStatus === JobDeploymentStatus.ValidationFailed;
  return { ...after, endTime: isRecovery && after.endTime !== undefined ? after.endTime : timestamp(now) };
}

/** Whether a status write may be debounced: it only updates details of the cluster's status, which users can read from the cluster. */
export function canDebounceStatus(job: RayJob, after: RayJobStatus): boolean {
  const before = job.status ?? {};
  return (
    changesOnlyClusterCopy(before, after) &&
    !hasClusterStateChanged(before, after) &&
    !recordsFirstReadyHead(job, after)
  );
}

/** States in which users wait for the message: why a cluster is not ready, or why a spec is invalid. */
const STATES_WITH_NEWS: readonly (JobDeploymentStatus | undefined)[] = [
  JobDeploymentStatus.Initializing,
  JobDeploymentStatus.ValidationFailed,
];

function changesOnlyClusterCopy(before: RayJobStatus, after: RayJobStatus): boolean {
  return (
    before.jobStatus === after.jobStatus &&
    before.jobDeploymentStatus === after.jobDeploymentStatus &&
    before.jobStatusCheckFailureStartTime === after.jobStatusCheckFailureStartTime &&
    before.attempts?.at(-1)?.number === after.attempts?.at(-1)?.number &&
    // A forgotten run must be recorded before the next run starts.
    (before.rayJobInfo?.startTime === undefined || after.rayJobInfo?.startTime !== undefined) &&
    reportedSubmitterTrouble(before) === reportedSubmitterTrouble(after) &&
    (!STATES_WITH_NEWS.includes(after.jobDeploymentStatus) || before.message === after.message)
  );
}
