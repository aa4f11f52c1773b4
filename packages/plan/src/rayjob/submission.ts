import { RayJobState } from '@manta/api';
import { buildJobSubmission } from '../build/submitter-request.ts';
import { recordRerun } from './attempts.ts';
import { copyClusterStatus } from './cluster-status-copy.ts';
import { headContinuity } from './head.ts';
import type { JobState } from './state.ts';
import { clearCheckFailure, recordCheckFailure } from './status-check.ts';
import { firstStep, type Policy, type Step, stay } from './step.ts';
import { ACCEPTED_JOB_LOOKUP_MS, remainingWaitMs, SUBMISSION_RETRY_MS } from './timers.ts';

/** The id of the command that submits a job. There is one for each job id, so a repeated request is sent once. */
export function submissionId(jobId: string): string {
  return `submit/${jobId}`;
}

/** What keeps the operator from submitting the job now, in this order. */
const REASONS_NOT_TO_SUBMIT: readonly Policy[] = [
  ({ submission }) => (submission?.state === 'running' ? stay() : undefined),
  (state) =>
    isSubmissionBackingOff(state)
      ? { ...recordCheckFailure(state), requeueAfterMs: msToSubmissionRetry(state) }
      : undefined,
  (state) => (headContinuity(state) === 'unknown' ? stay() : undefined),
  recordForgottenJob,
  (state) =>
    msToSubmissionRetry(state) > 0
      ? { ...recordSubmissionResult(state), requeueAfterMs: msToSubmissionRetry(state) }
      : undefined,
];

/** HTTPMode: submits the job to a head that does not know it. Ray accepts an id once, so a repeated request does not run the job twice. */
export function submitOverHttp(state: JobState): Step {
  return firstStep(REASONS_NOT_TO_SUBMIT, state) ?? sendSubmission(state);
}

function sendSubmission(state: JobState): Step {
  const { spec, status, parseYaml } = state;
  const jobId = status.jobId ?? '';
  const request = buildJobSubmission(spec, jobId, parseYaml);
  if (!request.ok) {
    const fields = status.message === request.error ? {} : { message: request.error };
    return recordCheckFailure(state, fields, SUBMISSION_RETRY_MS);
  }
  const command = { kind: 'submit', job: request.value } as const;
  const cluster = status.rayClusterName ?? '';
  return { ...recordSubmissionResult(state), actions: [{ type: 'ray', id: submissionId(jobId), cluster, command }] };
}

/** Whether the last submission failed so recently that the next one is not decided yet. */
export function isSubmissionBackingOff(state: Pick<JobState, 'submission' | 'now'>): boolean {
  return state.submission?.state === 'failed' && msToSubmissionRetry(state) > 0;
}

function msToSubmissionRetry({ submission, now }: Pick<JobState, 'submission' | 'now'>): number {
  return submission !== undefined && 'at' in submission ? remainingWaitMs(submission.at, SUBMISSION_RETRY_MS, now) : 0;
}

function recordSubmissionResult(state: JobState): Step {
  switch (state.submission?.state) {
    case 'failed':
      return recordCheckFailure(state);
    case 'done':
      return clearCheckFailure(state);
    default:
      return stay();
  }
}

/** Ray had the job, or may have had it, and no longer knows it: Ray was restarted. Records the lost run before the job is submitted again. */
function recordForgottenJob(state: JobState): Step | undefined {
  const { status } = state;
  const hasRun = status.jobStatus !== undefined || status.rayJobInfo?.startTime !== undefined;
  if (!hasRun && headContinuity(state) !== 'replaced' && !isAcceptedJobForgotten(state)) return undefined;
  const before =
    status.jobStatus === undefined ? 'may have been submitted to a head that is gone' : `was ${status.jobStatus}`;
  const why = `Ray no longer knows job ${status.jobId}, which ${before}: it is submitted again`;
  const fields = { jobStatus: RayJobState.New, rayJobInfo: {}, rayClusterStatus: copyClusterStatus(state) };
  return recordRerun(state, why, fields);
}

/**
 * Whether Ray accepted this attempt's submission and later does not know the job: it may have run, regardless of the pods. Only the list of
 * attempts tells this submission from the next one.
 */
function isAcceptedJobForgotten({ status, submission, now }: JobState): boolean {
  const last = status.attempts?.at(-1);
  if (submission?.state !== 'done' || last === undefined) return false;
  return submission.at + ACCEPTED_JOB_LOOKUP_MS <= now && submission.at >= Date.parse(last.startTime);
}
