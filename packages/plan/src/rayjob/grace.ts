import { JobDeploymentStatus, JobFailedReason, RayJobState } from '@manta/api';
import { isOver } from './deadlines.ts';
import { isTerminalState } from './pairs.ts';
import { move, type Step } from './step.ts';
import type { Subject } from './subject.ts';
import { msUntil } from './times.ts';

const TOO_LONG =
  'JobDeploymentStatus does not transition to Complete or Failed within the grace period after JobStatus reaches a terminal state.';

/** Milliseconds until a submitter that goes on after its job has ended is no longer waited for. */
export function msToGraceEnd({ status, context, now }: Subject): number | undefined {
  if (!isTerminalState(status.jobStatus)) return undefined;
  return msUntil(status.rayJobInfo?.endTime, context.env.rayJobTransitionGracePeriodSeconds, now);
}

/** Ray's word is known; only the submitter has not ended. */
export function pastGrace(subject: Subject): Step | undefined {
  if (!isOver(msToGraceEnd(subject))) return undefined;
  const hasFailed = subject.status.jobStatus === RayJobState.Failed;
  return move(subject, {
    jobDeploymentStatus: hasFailed ? JobDeploymentStatus.Failed : JobDeploymentStatus.Complete,
    reason: JobFailedReason.JobDeploymentStatusTransitionGracePeriodExceeded,
    message: TOO_LONG,
  });
}
