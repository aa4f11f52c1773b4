import {
  Annotation,
  childNames,
  JobDeploymentStatus,
  type RayJobAttempt,
  type RayJobStatus,
  timestamp,
} from '@manta/api';
import { patchSelf } from '../ownership.ts';
import { derivedSuffix } from '../raycluster/derived-names.ts';
import { headRestarts } from './head.ts';
import type { JobState } from './state.ts';
import { type Changes, move, type Step } from './step.ts';

/** The list is for people, so it is bounded: a job may be retried or suspended any number of times. */
const MAX_LISTED = 20;

export type AttemptStart = Pick<RayJobAttempt, 'rayClusterName' | 'submissionId' | 'startTime'>;

/**
 * The names of the next attempt's cluster and Ray job. They are derived only from stored values (the job's uid, its failure count, the last
 * start time and attempt number). A crash before the status is written therefore leads to the same names again.
 */
export function nextAttemptNames({ name, uid, status }: Pick<JobState, 'name' | 'uid' | 'status'>): {
  readonly cluster: string;
  readonly job: string;
} {
  const seed = [uid, String(status.failed ?? 0), status.startTime ?? '', String(nextAttemptNumber(status))];
  return {
    cluster: childNames.rayCluster(name, derivedSuffix('cluster', ...seed)),
    job: childNames.rayJobId(name, derivedSuffix('job', ...seed)),
  };
}

function nextAttemptNumber({ attempts = [] }: RayJobStatus): number {
  return (attempts.at(-1)?.number ?? 0) + 1;
}

/** The list with a new attempt at its end. */
export function appendAttempt(status: RayJobStatus, start: AttemptStart): readonly RayJobAttempt[] {
  const attempt = { number: nextAttemptNumber(status), ...start };
  return [...(status.attempts ?? []), attempt].slice(-MAX_LISTED);
}

/** The status with an end for its last attempt, if the new status ends that attempt. */
export function withAttemptEnd(before: RayJobStatus, after: RayJobStatus, now: number): RayJobStatus {
  const { attempts = [] } = after;
  const last = attempts.at(-1);
  const outcome = attemptOutcome(after);
  if (last === undefined || last.endTime !== undefined || outcome === undefined) return after;
  if (after.jobDeploymentStatus === before.jobDeploymentStatus) return after;
  const reason = after.reason === undefined ? {} : { reason: after.reason };
  return { ...after, attempts: [...attempts.slice(0, -1), { ...last, endTime: timestamp(now), outcome, ...reason }] };
}

/** How the status ends the current attempt; undefined while the attempt continues. Without Ray's report the outcome is Lost. */
function attemptOutcome({
  jobDeploymentStatus,
  jobStatus,
  reason,
}: RayJobStatus): RayJobAttempt['outcome'] | undefined {
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

/** The list with its last attempt marked as lost and a new attempt under the same id; undefined without a list. */
export function replaceLostAttempt(
  status: RayJobStatus,
  now: number,
  restarts: number,
): readonly RayJobAttempt[] | undefined {
  const last = status.attempts?.at(-1);
  if (last === undefined) return undefined;
  const { rayClusterName, submissionId } = last;
  const lost = { ...last, endTime: timestamp(now), outcome: 'Lost', reason: 'JobForgotten' } as const;
  const attempts = [...(status.attempts ?? []).slice(0, -1), lost];
  const appended = appendAttempt({ attempts }, { rayClusterName, submissionId, startTime: timestamp(now) });
  return withHeadRestarts(appended, restarts);
}

/** The list with the number of Ray restarts in the head pod that the last attempt goes to. */
export function withHeadRestarts(attempts: readonly RayJobAttempt[], restarts: number): readonly RayJobAttempt[] {
  return attempts.map((attempt, at) =>
    at === attempts.length - 1 && restarts > 0 ? { ...attempt, headRestarts: restarts } : attempt,
  );
}

/**
 * Records that the job runs, or may run, a second time under its id. The record is written before the job can run again: as another
 * attempt or, if the installed CRD has no `attempts` field, as an annotation.
 */
export function recordRerun(state: JobState, why: string, fields: Changes): Step {
  const { status, job, now } = state;
  const attempts = replaceLostAttempt(status, now, headRestarts(state));
  const patch = { metadata: { annotations: { [Annotation.LastAttempt]: `${timestamp(now)} ${why}` } } };
  return move(
    state,
    { ...fields, message: why, attempts },
    attempts === undefined ? [patchSelf('RayJob', job, patch)] : [],
  );
}
