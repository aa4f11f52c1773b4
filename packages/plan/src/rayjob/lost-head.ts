import { JobFailedReason } from '@manta/api';
import { fail, type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';

/** What is said of a job that lived in its head pod, which is gone. */
export const NO_HEAD = 'Ray head pod not found.';
/** Our view of clusters may be behind that of jobs. */
const GONE_MS = 5_000;

/** The cluster of a job that was submitted from within its head is gone, and with it the job. */
export function withoutHeadToRunIn(subject: Subject): Step {
  const { missingSince, now } = subject;
  const leftMs = (missingSince ?? now) + GONE_MS - now;
  return leftMs > 0 ? stay([], leftMs) : fail(subject, JobFailedReason.AppFailed, NO_HEAD);
}
