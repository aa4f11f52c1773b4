import { RayJobState } from '@manta/api';
import { buildJobSubmission } from '../build/submitter-request.ts';
import { tellOfAnotherRun } from './another-run.ts';
import { isForgotten, placeOf } from './head-session.ts';
import { mirrored } from './mirror.ts';
import type { CommandView } from './observed.ts';
import { clearFailure, noteFailure } from './status-check.ts';
import { type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';
import { msFromThen } from './times.ts';

/** How long to wait before a head that took no job is asked again. */
const AGAIN_MS = 3000;

/** The command under which a job is submitted: one per id, so that asking twice asks once. */
export function submissionId(jobId: string): string {
  return `submit/${jobId}`;
}

/** Whether a submission failed so lately that nothing is decided yet about the next one. */
export function isBetweenTries(submission: CommandView | undefined, now: number): boolean {
  return submission?.state === 'failed' && msFromThen(submission.at, AGAIN_MS, now) > 0;
}

/** Hands the job to a head that does not know it. Under the same id a second time is no second job. */
export function submit(subject: Subject): Step {
  const { spec, status, submission, parseYaml, now } = subject;
  if (submission?.state === 'running') return stay();
  const againMs = submission === undefined ? 0 : msFromThen(submission.at, AGAIN_MS, now);
  if (isBetweenTries(submission, now)) return { ...noteFailure(subject), requeueAfterMs: againMs };
  const place = placeOf(subject);
  if (place === 'unknown') return stay();
  const hasRun = status.jobStatus !== undefined || status.rayJobInfo?.startTime !== undefined;
  if (hasRun || place === 'another head' || isForgotten(subject)) return startOver(subject);
  const noted = submission?.state === 'failed' ? noteFailure(subject) : clearIfDone(subject);
  if (againMs > 0) return { ...noted, requeueAfterMs: againMs };
  const jobId = status.jobId ?? '';
  const request = buildJobSubmission(spec, jobId, parseYaml);
  if (!request.ok) {
    const why = status.message === request.error ? {} : { message: request.error };
    return noteFailure(subject, why, AGAIN_MS);
  }
  const command = { kind: 'submit', job: request.value } as const;
  const cluster = status.rayClusterName ?? '';
  return { ...noted, actions: [{ type: 'ray', id: submissionId(jobId), cluster, command }] };
}

/** Ray had the job and has forgotten it, as a head does that was restarted. */
function startOver(subject: Subject): Step {
  const { status } = subject;
  const before =
    status.jobStatus === undefined ? 'may have been submitted to a head that is gone' : `was ${status.jobStatus}`;
  const why = `Ray no longer knows job ${status.jobId}, which ${before}: it is submitted again`;
  const fields = { jobStatus: RayJobState.New, rayJobInfo: {}, rayClusterStatus: mirrored(subject) };
  return tellOfAnotherRun(subject, why, fields);
}

function clearIfDone(subject: Subject): Step {
  return subject.submission?.state === 'done' ? clearFailure(subject) : stay();
}
