import { JobDeploymentStatus, RayJobState, type RayJobStatus } from '@manta/api';
import { move, type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';
import { msFromThen } from './times.ts';

/** Whoever repairs a spec may need more than one edit; the job goes on when nobody has touched it for this long. */
const REST_MS = 15_000;

/** A job whose spec was refused and is in order again goes on where it was. */
export function goOn(subject: Subject): Step {
  const { repairedSince, now, status } = subject;
  const leftMs = msFromThen(repairedSince ?? now, REST_MS, now);
  if (leftMs > 0) return stay([], leftMs);
  return move(subject, { jobDeploymentStatus: stageOf(status), reason: undefined, message: undefined });
}

function stageOf(status: RayJobStatus): JobDeploymentStatus {
  if (status.endTime !== undefined) return endOf(status);
  const outcome = status.attempts?.at(-1)?.outcome;
  if (outcome === 'Suspended') return JobDeploymentStatus.Suspending;
  if (outcome === 'Failed' || outcome === 'Lost') return JobDeploymentStatus.Retrying;
  if (status.dashboardURL !== undefined)
    return status.jobId ? JobDeploymentStatus.Running : JobDeploymentStatus.Waiting;
  return status.rayClusterName === undefined ? JobDeploymentStatus.New : JobDeploymentStatus.Initializing;
}

function endOf({ jobStatus }: RayJobStatus): JobDeploymentStatus {
  return jobStatus === RayJobState.Succeeded || jobStatus === RayJobState.Stopped
    ? JobDeploymentStatus.Complete
    : JobDeploymentStatus.Failed;
}
