import { JobDeploymentStatus, type RayJobAttempt, type RayJobStatus } from '@manta/api';
import { timestamp } from '../shared/timestamp.ts';

/** The list is for people; jobs that are retried or suspended without end do not grow without end. */
const KEPT = 20;

/** The number of the attempt that comes after those that are listed. */
export function nextAttempt({ attempts = [] }: RayJobStatus): number {
  return (attempts.at(-1)?.number ?? 0) + 1;
}

/** The list with an attempt that begins. */
export function withAttempt(status: RayJobStatus, begins: AttemptStart): readonly RayJobAttempt[] {
  const begun = { number: nextAttempt(status), ...begins };
  return [...(status.attempts ?? []), begun].slice(-KEPT);
}

/** The list with its last attempt ended as the status says, if it has ended. */
export function withEnd(before: RayJobStatus, after: RayJobStatus, now: number): RayJobStatus {
  const { attempts = [] } = after;
  const last = attempts.at(-1);
  const outcome = outcomeOf(after);
  if (last === undefined || last.endTime !== undefined || outcome === undefined) return after;
  if (after.jobDeploymentStatus === before.jobDeploymentStatus) return after;
  const reason = after.reason === undefined ? {} : { reason: after.reason };
  return { ...after, attempts: [...attempts.slice(0, -1), { ...last, endTime: timestamp(now), outcome, ...reason }] };
}

/** The list when Ray has lost a job that it had, and runs it (or is about to run it) once more under the same id. */
export function withLoss(status: RayJobStatus, now: number, restarts: number): readonly RayJobAttempt[] | undefined {
  const last = status.attempts?.at(-1);
  if (last === undefined) return undefined;
  const { rayClusterName, submissionId } = last;
  const lost = { ...last, endTime: timestamp(now), outcome: 'Lost', reason: 'JobForgotten' } as const;
  const attempts = [...(status.attempts ?? []).slice(0, -1), lost];
  return onHead(withAttempt({ attempts }, { rayClusterName, submissionId, startTime: timestamp(now) }), restarts);
}

/** The list when its last attempt is about to go to a head in which Ray was restarted so many times. */
export function onHead(attempts: readonly RayJobAttempt[], restarts: number): readonly RayJobAttempt[] {
  return attempts.map((attempt, at) =>
    at === attempts.length - 1 && restarts > 0 ? { ...attempt, headRestarts: restarts } : attempt,
  );
}

export type AttemptStart = Pick<RayJobAttempt, 'rayClusterName' | 'submissionId' | 'startTime'>;

/** How the current attempt ended, in one word; undefined while it goes on. Without Ray's own word it is lost, not failed. */
function outcomeOf({ jobDeploymentStatus, jobStatus, reason }: RayJobStatus): RayJobAttempt['outcome'] | undefined {
  switch (jobDeploymentStatus) {
    case JobDeploymentStatus.Complete:
      return jobStatus === 'STOPPED' ? 'Stopped' : 'Succeeded';
    case JobDeploymentStatus.Suspending:
      return 'Suspended';
    case JobDeploymentStatus.Failed:
    case JobDeploymentStatus.Retrying:
      return reason === 'JobStatusCheckTimeoutExceeded' ? 'Lost' : 'Failed';
    default:
      return undefined;
  }
}
