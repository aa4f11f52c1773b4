import { JobFailedReason } from '@manta/api';
import { fail, type Step } from './step.ts';
import type { Subject } from './subject.ts';
import { msUntil, zonedTime } from './times.ts';

/** Milliseconds until the time for the whole attempt is over. */
export function msToActiveDeadline({ spec, status, now }: Subject): number | undefined {
  return msUntil(status.startTime, spec.activeDeadlineSeconds, now);
}

/** Milliseconds until the time to get the job running is over. */
export function msToPreRunningDeadline({ spec, status, now }: Subject): number | undefined {
  return msUntil(status.startTime, spec.preRunningDeadlineSeconds, now);
}

export function isOver(waitMs: number | undefined): boolean {
  return waitMs !== undefined && waitMs <= 0;
}

export function pastActiveDeadline(subject: Subject): Step | undefined {
  if (!isOver(msToActiveDeadline(subject))) return undefined;
  const { spec, status } = subject;
  const since = `StartTime: ${zonedTime(status.startTime ?? 0)}. ActiveDeadlineSeconds: ${spec.activeDeadlineSeconds}`;
  const message = `The RayJob has passed the activeDeadlineSeconds. ${since}`;
  return fail(subject, JobFailedReason.DeadlineExceeded, message);
}

export function pastPreRunningDeadline(subject: Subject): Step | undefined {
  if (!isOver(msToPreRunningDeadline(subject))) return undefined;
  const { spec, status } = subject;
  const since = `StartTime: ${zonedTime(status.startTime ?? 0)}. PreRunningDeadlineSeconds: ${spec.preRunningDeadlineSeconds}`;
  const message = `The RayJob has passed the preRunningDeadlineSeconds. ${since}`;
  return fail(subject, JobFailedReason.PreRunningDeadlineExceeded, message);
}
