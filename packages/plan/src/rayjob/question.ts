import { JobDeploymentStatus, JobSubmissionMode } from '@manta/api';
import { isOver, msToActiveDeadline } from './deadlines.ts';
import type { ObservedRayJob } from './observed.ts';
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
    isOver(msToActiveDeadline(subject)) ? now + (msToActiveDeadline(subject) ?? 0) : undefined,
  ].filter((moment) => moment !== undefined);
  return { jobId: status.jobId, newerThan: moments.length === 0 ? undefined : Math.max(...moments) };
}

/**
 * A job that is to be suspended waits for no other answer than the last one, or the first, or the first since its submitter ended; one that its
 * user has only just named, for none.
 */
function lastWord({ mode, status, endSeenAt }: Subject, jobId: string): JobQuestion | undefined {
  const isUnheardOf = mode === JobSubmissionMode.Interactive && status.jobStatus === undefined;
  return isUnheardOf ? undefined : { jobId, newerThan: endSeenAt };
}
