import { JobFailedReason, JobSubmissionMode, RayJobState, timestamp } from '@manta/api';
import { buildJobSubmission } from '../build/submitter-request.ts';
import type { JobState } from './state.ts';
import { type Changes, failAttempt, move, type Step, stay } from './step.ts';
import { submitterState } from './submitter.ts';
import { hasExpired, msToStatusCheckTimeout, plainTime, statusCheckTimeout } from './timers.ts';

/**
 * Fails the attempt when status checks have failed for too long. A head that answers again, or that this process has not asked yet, is not
 * given up.
 */
export function failPastStatusCheckTimeout(state: JobState): Step | undefined {
  const { answer, status } = state;
  if (!hasExpired(msToStatusCheckTimeout(state))) return undefined;
  const isFailing = answer.kind === 'failing' || (answer.kind === 'answered' && isSubmissionFailing(state));
  if (!isFailing) return undefined;
  const submitter = submitterState(state);
  // Ray never reported the job and its submitter failed, so the job was probably never submitted.
  if (submitter.kind === 'failed' && (status.jobStatus ?? RayJobState.New) === RayJobState.New)
    return failAttempt(state, JobFailedReason.SubmissionFailed, submitter.message);
  const since = plainTime(status.jobStatusCheckFailureStartTime ?? 0);
  const message = `Job status checks have been failing since ${since}; exceeded timeout of ${statusCheckTimeout(state)}s`;
  return failAttempt(state, JobFailedReason.JobStatusCheckTimeoutExceeded, message);
}

/** In HTTPMode: the head answers, but refuses the submission, or the spec allows no valid one. */
function isSubmissionFailing({ mode, answer, submission, spec, status, parseYaml }: JobState): boolean {
  if (mode !== JobSubmissionMode.HTTP || answer.kind !== 'answered' || answer.report !== undefined) return false;
  if (submission === undefined) return !buildJobSubmission(spec, status.jobId ?? '', parseYaml).ok;
  return submission.state === 'failed';
}

/** Records the start of a series of failed checks. Later failures of the series change the status only if they change other fields. */
export function recordCheckFailure(state: JobState, fields: Changes = {}, requeueAfterMs?: number): Step {
  const { status, now } = state;
  if (status.jobStatusCheckFailureStartTime !== undefined && Object.keys(fields).length === 0)
    return stay([], requeueAfterMs);
  const since = status.jobStatusCheckFailureStartTime ?? timestamp(now);
  return { ...move(state, { jobStatusCheckFailureStartTime: since, ...fields }), requeueAfterMs };
}

/** The head answers again: ends the series of failed checks. */
export function clearCheckFailure(state: JobState): Step {
  if (state.status.jobStatusCheckFailureStartTime === undefined) return stay();
  return move(state, { jobStatusCheckFailureStartTime: undefined });
}
