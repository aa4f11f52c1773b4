import { DefaultSeconds, JobFailedReason, JobSubmissionMode, RayJobState } from '@manta/api';
import { buildJobSubmission } from '../build/submitter-request.ts';
import { timestamp } from '../shared/timestamp.ts';
import { isOver } from './deadlines.ts';
import { type Changes, fail, move, type Step, stay } from './step.ts';
import { fullName, type Subject } from './subject.ts';
import type { Submitter } from './submitter.ts';
import { msUntil, plainTime } from './times.ts';

/** Milliseconds until a head that does not answer is given up. */
export function msToStatusCheckTimeout({ status, context, now, failingSince }: Subject): number | undefined {
  if (status.jobStatusCheckFailureStartTime === undefined) return undefined;
  if (failingSince !== undefined) return failingSince + timeoutOf({ context }) * 1000 - now;
  return msUntil(status.jobStatusCheckFailureStartTime, timeoutOf({ context }), now);
}

/** Milliseconds until a cluster that is gone is given up. */
export function msToAbsenceTimeout({ missingSince, context, now }: Subject): number | undefined {
  return missingSince === undefined ? undefined : missingSince + timeoutOf({ context }) * 1000 - now;
}

/** A cluster that is gone and does not come back is a head that does not answer. */
export function pastAbsence(subject: Subject): Step | undefined {
  const { status, missingSince = 0 } = subject;
  if (!isOver(msToAbsenceTimeout(subject))) return undefined;
  const cluster = fullName(subject, status.rayClusterName ?? '');
  const message = `RayCluster ${cluster}, which the job ran on, has been missing since ${plainTime(missingSince)}; exceeded timeout of ${timeoutOf(subject)}s`;
  return fail(subject, JobFailedReason.JobStatusCheckTimeoutExceeded, message);
}

/** Zero or less would give a head up at its first hiccup, so it counts as not set. */
function timeoutOf({ context }: Pick<Subject, 'context'>): number {
  const { rayJobStatusCheckTimeoutSeconds: seconds } = context.env;
  return seconds > 0 ? seconds : DefaultSeconds.RayJobStatusCheckTimeout;
}

/** Nobody knows what has become of the job. A head that answers again, or has not been asked since we are here, is not given up. */
export function pastStatusCheckTimeout(subject: Subject, submitter: Submitter): Step | undefined {
  const { answer, status } = subject;
  if (!isOver(msToStatusCheckTimeout(subject))) return undefined;
  const isSilent = answer.kind === 'failing' || (answer.kind === 'answered' && isSubmissionFailing(subject));
  if (!isSilent) return undefined;
  // Ray never told of the job and its submitter gave up: then it was not submitted, as far as anyone can tell.
  if (submitter.kind === 'failed' && (status.jobStatus ?? RayJobState.New) === RayJobState.New)
    return fail(subject, JobFailedReason.SubmissionFailed, submitter.message);
  const since = plainTime(status.jobStatusCheckFailureStartTime ?? 0);
  const message = `Job status checks have been failing since ${since}; exceeded timeout of ${timeoutOf(subject)}s`;
  return fail(subject, JobFailedReason.JobStatusCheckTimeoutExceeded, message);
}

/** The head answers, but takes no job from us, or we have none that it could take. */
function isSubmissionFailing({ mode, answer, submission, spec, status, parseYaml }: Subject): boolean {
  if (mode !== JobSubmissionMode.HTTP || answer.kind !== 'answered' || answer.report !== undefined) return false;
  if (submission === undefined) return !buildJobSubmission(spec, status.jobId ?? '', parseYaml).ok;
  return submission.state === 'failed';
}

/** Notes since when the head has not been of use; afterwards nothing needs to be written. */
export function noteFailure(subject: Subject, why: Changes = {}, requeueAfterMs?: number): Step {
  const { status, now } = subject;
  if (status.jobStatusCheckFailureStartTime !== undefined && Object.keys(why).length === 0)
    return stay([], requeueAfterMs);
  const since = status.jobStatusCheckFailureStartTime ?? timestamp(now);
  return { ...move(subject, { jobStatusCheckFailureStartTime: since, ...why }), requeueAfterMs };
}

/** The head is of use again. */
export function clearFailure(subject: Subject): Step {
  if (subject.status.jobStatusCheckFailureStartTime === undefined) return stay();
  return move(subject, { jobStatusCheckFailureStartTime: undefined });
}
