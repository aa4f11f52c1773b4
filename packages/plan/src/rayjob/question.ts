import { JobDeploymentStatus, JobSubmissionMode } from '@manta/api';
import { isOver, msToActiveDeadline } from './deadlines.ts';
import type { ObservedRayJob } from './observed.ts';
import { msToStatusCheckTimeout } from './status-check.ts';
import { type Subject, subjectOf } from './subject.ts';

/** What has to be asked of Ray before a decision about the job. */
export interface JobQuestion {
  readonly jobId: string;
  /** Answers to what was asked before this moment say nothing. */
  readonly newerThan: number | undefined;
}

/** The question about a job that runs; undefined while there is none. */
export function questionAbout(observed: Omit<ObservedRayJob, 'answer'>): JobQuestion | undefined {
  const subject = subjectOf({ ...observed, answer: { kind: 'unasked' } });
  const { status, submission, now, job, endSeenAt } = subject;
  const isRunning = status.jobDeploymentStatus === JobDeploymentStatus.Running;
  if (!isRunning || job.metadata?.deletionTimestamp !== undefined || !status.jobId) return undefined;
  if (subject.spec.suspend === true) return lastWord(subject, status.jobId);
  const moments = [
    endSeenAt,
    // After the clock was set back nobody waits for that moment to come again: to submit once more does no harm.
    submission?.state === 'done' && submission.at <= now ? submission.at : undefined,
    momentOf(msToActiveDeadline(subject), now),
    // One of very many heads that failed has not been asked for a while, and may be well again.
    momentOf(msToStatusCheckTimeout(subject), now),
  ].filter((moment) => moment !== undefined);
  return { jobId: status.jobId, newerThan: moments.length === 0 ? undefined : Math.max(...moments) };
}

/** When a time was over; undefined while it is not. */
function momentOf(waitMs: number | undefined, now: number): number | undefined {
  return waitMs !== undefined && isOver(waitMs) ? now + waitMs : undefined;
}

/**
 * A job that is to be suspended waits for no other answer than the last one, or the first, or the first since its submitter ended; one that its
 * user has only just named, for none.
 */
function lastWord({ mode, status, endSeenAt }: Subject, jobId: string): JobQuestion | undefined {
  const isUnheardOf = mode === JobSubmissionMode.Interactive && status.jobStatus === undefined;
  return isUnheardOf ? undefined : { jobId, newerThan: endSeenAt };
}
