import { DefaultSeconds, JobDeploymentStatus, JobFailedReason, RayJobState, type Time } from '@manta/api';
import { fullName } from '../shared/names.ts';
import type { JobState } from './state.ts';
import { isTerminalState } from './status-pairs.ts';
import { failAttempt, move, type Step } from './step.ts';

/*
 * Every deadline, grace period, timeout and retry interval of a RayJob. Functions called `msTo…` return the remaining milliseconds
 * (undefined: the timer is not set; zero or less: it has expired). Functions called `…Past…` return the step that follows from an expiry.
 */

/** Interval between attempts to submit a job over HTTP. */
export const SUBMISSION_RETRY_MS = 3000;
/** Time that Ray may need to find a job that it has just accepted. */
export const ACCEPTED_JOB_LOOKUP_MS = 3000;
/** Ray may correct a job's start time by this much without a new run. */
export const START_TIME_TOLERANCE_MS = 2000;
/** Interval between attempts to create or update the job's head Service. */
export const HEAD_SERVICE_RETRY_MS = 10_000;
/** A submitter that ended this long before the RayJob was created belongs to another job. Clocks differ by less. */
export const FOREIGN_SUBMITTER_MS = 3_600_000;
/** A cluster that is missing for this long is lost. Until then the cache of clusters may be behind the cache of jobs. */
const CLUSTER_LOSS_MS = 5_000;
/** Interval between checks for pods of a former attempt. The controller gets no event when they end. */
export const OLD_PODS_POLL_MS = 2000;
/** Interval between attempts to release the batch scheduler's objects of a suspended job. */
export const GANG_RELEASE_RETRY_MS = 60_000;
/** A user may need several edits to fix a spec. The job continues once the spec has been valid for this long. */
export const SPEC_FIX_DEBOUNCE_MS = 15_000;
/** Added to a TTL before requeueing: timers may fire slightly early, and such a reconcile would do nothing. */
export const TTL_PADDING_MS = 2000;
/** Interval between attempts to stop a job after its deadline … */
export const STOP_RETRY_MS = 10_000;
/** … and for how long. Longer only while a submitter may still submit the job. */
export const STOP_RETRY_WINDOW_MS = 300_000;
/** Longest delay of a deletion by a head that does not answer the stop request … */
export const STOP_BEFORE_DELETION_MS = 10_000;
/** … and by a missing token, without which the head cannot be asked. */
const TOKEN_BEFORE_DELETION_MS = 30_000;
/** A deletionTimestamp further in the future than this is a clock error, and does not delay the deletion. */
const CLOCK_SKEW_MS = 60_000;

/** `activeDeadlineSeconds`: the limit for a whole attempt. */
export function msToActiveDeadline({ spec, status, now }: JobState): number | undefined {
  return msUntil(status.startTime, spec.activeDeadlineSeconds, now);
}

/** `preRunningDeadlineSeconds`: the limit until the job runs. */
export function msToPreRunningDeadline({ spec, status, now }: JobState): number | undefined {
  return msUntil(status.startTime, spec.preRunningDeadlineSeconds, now);
}

/** The grace period of a submitter that has not ended although its Ray job has. */
export function msToGracePeriodEnd({ status, context, now }: JobState): number | undefined {
  if (!isTerminalState(status.jobStatus)) return undefined;
  return msUntil(status.rayJobInfo?.endTime, context.env.rayJobTransitionGracePeriodSeconds, now);
}

/** The limit for a head that does not answer status checks. */
export function msToStatusCheckTimeout({ context, now, failingSince }: JobState): number | undefined {
  return failingSince === undefined ? undefined : failingSince + statusCheckTimeout({ context }) * 1000 - now;
}

/** The limit for a missing cluster: the same as for a head that does not answer. */
export function msToClusterAbsenceTimeout({ missingSince, context, now }: JobState): number | undefined {
  return missingSince === undefined ? undefined : missingSince + statusCheckTimeout({ context }) * 1000 - now;
}

/** Milliseconds until a missing cluster is lost. */
export function msToClusterLoss({ missingSince, now }: JobState): number {
  return (missingSince ?? now) + CLUSTER_LOSS_MS - now;
}

/** Milliseconds until a TTL after the job's end has passed. A TTL of 0 has passed regardless of the clock. */
export function msToTtlEnd({ status, now }: Pick<JobState, 'status' | 'now'>, seconds = 0): number {
  return seconds === 0 ? 0 : (msUntil(status.endTime, seconds, now) ?? 0);
}

/**
 * Milliseconds for which a deletion still waits for the stop request. The deletionTimestamp comes from the server's clock, which may differ
 * from ours, so a reachable head gets its full time regardless of that timestamp.
 */
export function msToDeletionRelease({ job, answer, stopping, now }: JobState): number {
  if (stopping?.state === 'done' || stopping?.state === 'failed') return 0;
  if (stopping?.state === 'running') return remainingWaitMs(stopping.since, STOP_BEFORE_DELETION_MS, now);
  if (answer.kind !== 'unreachable') return STOP_BEFORE_DELETION_MS;
  const deletedAt = Date.parse(job.metadata?.deletionTimestamp ?? '');
  return deletedAt - now > CLOCK_SKEW_MS ? 0 : deletedAt + TOKEN_BEFORE_DELETION_MS - now;
}

/** Whether the window for stopping a job that was cut off by its deadline has passed. */
export function isStopWindowOver({ status, now }: JobState): boolean {
  return now - Date.parse(status.endTime ?? '') > STOP_RETRY_WINDOW_MS;
}

/** Fails the attempt when `activeDeadlineSeconds` have passed. */
export function failPastActiveDeadline(state: JobState): Step | undefined {
  if (!hasExpired(msToActiveDeadline(state))) return undefined;
  const message = deadlineMessage(state, 'activeDeadlineSeconds', state.spec.activeDeadlineSeconds);
  return failAttempt(state, JobFailedReason.DeadlineExceeded, message);
}

/** Fails the attempt when `preRunningDeadlineSeconds` have passed. */
export function failPastPreRunningDeadline(state: JobState): Step | undefined {
  if (!hasExpired(msToPreRunningDeadline(state))) return undefined;
  const message = deadlineMessage(state, 'preRunningDeadlineSeconds', state.spec.preRunningDeadlineSeconds);
  return failAttempt(state, JobFailedReason.PreRunningDeadlineExceeded, message);
}

/** KubeRay's words. */
function deadlineMessage({ status }: JobState, field: string, seconds: number | undefined): string {
  const Field = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  return `The RayJob has passed the ${field}. StartTime: ${zonedTime(status.startTime ?? 0)}. ${Field}: ${seconds}`;
}

/** Ends the job with the result that Ray reported when its submitter does not end within the grace period. */
export function endPastGracePeriod(state: JobState): Step | undefined {
  if (!hasExpired(msToGracePeriodEnd(state))) return undefined;
  const hasFailed = state.status.jobStatus === RayJobState.Failed;
  return move(state, {
    jobDeploymentStatus: hasFailed ? JobDeploymentStatus.Failed : JobDeploymentStatus.Complete,
    reason: JobFailedReason.JobDeploymentStatusTransitionGracePeriodExceeded,
    message:
      'JobDeploymentStatus does not transition to Complete or Failed within the grace period after JobStatus reaches a terminal state.',
  });
}

/** Fails the attempt when its cluster has been missing for as long as a head may stay silent. */
export function failPastClusterAbsence(state: JobState): Step | undefined {
  const { status, missingSince = 0 } = state;
  if (!hasExpired(msToClusterAbsenceTimeout(state))) return undefined;
  const cluster = fullName(state, status.rayClusterName ?? '');
  const message = `RayCluster ${cluster}, which the job ran on, has been missing since ${plainTime(missingSince)}; exceeded timeout of ${statusCheckTimeout(state)}s`;
  return failAttempt(state, JobFailedReason.JobStatusCheckTimeoutExceeded, message);
}

/** Seconds. A value of zero or less would fail the job at the first unanswered check, so it counts as unset. */
export function statusCheckTimeout({ context }: Pick<JobState, 'context'>): number {
  const { rayJobStatusCheckTimeoutSeconds: seconds } = context.env;
  return seconds > 0 ? seconds : DefaultSeconds.RayJobStatusCheckTimeout;
}

export function hasExpired(remainingMs: number | undefined): boolean {
  return remainingMs !== undefined && remainingMs <= 0;
}

/** When a timer expired, in milliseconds since the epoch; undefined while it has not. */
export function expiryTime(remainingMs: number | undefined, now: number): number | undefined {
  return remainingMs !== undefined && hasExpired(remainingMs) ? now + remainingMs : undefined;
}

/** The rest of a wait that began at `start`. Zero if `start` is in the future, which happens after the clock was set back. */
export function remainingWaitMs(start: number, waitMs: number, now: number): number {
  return start > now ? 0 : Math.max(0, start + waitMs - now);
}

/** The shortest of the waits that have not expired. */
export function soonest(...waits: readonly (number | undefined)[]): number | undefined {
  const pending = waits.filter((wait) => wait !== undefined && wait > 0);
  return pending.length === 0 ? undefined : Math.min(...pending.map((wait) => wait ?? 0));
}

/** `2006-01-02 15:04:05`: the form of times in messages. */
export function plainTime(time: Time | number): string {
  const text = new Date(time).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

/** The same with its zone, like in KubeRay's deadline messages. */
function zonedTime(time: Time | number): string {
  return `${plainTime(time)} +0000 UTC`;
}

/** Milliseconds until `seconds` after `from`; undefined if either is unset. */
function msUntil(from: Time | undefined, seconds: number | undefined, now: number): number | undefined {
  return from === undefined || seconds === undefined ? undefined : Date.parse(from) + seconds * 1000 - now;
}
