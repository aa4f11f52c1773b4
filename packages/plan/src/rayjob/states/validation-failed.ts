import { JobDeploymentStatus, RayJobState, type RayJobStatus } from '@manta/api';
import type { JobState } from '../state.ts';
import { move, type Step, stay } from '../step.ts';
import { remainingWaitMs, SPEC_FIX_DEBOUNCE_MS } from '../timers.ts';

/** ValidationFailed, and the spec is valid again: the job returns to the state that it was in. Debounced, see `SPEC_FIX_DEBOUNCE_MS`. */
export function recoverFromValidationFailure(state: JobState): Step {
  const { memory, now, status } = state;
  const remainingMs = remainingWaitMs(memory.specValidSince ?? now, SPEC_FIX_DEBOUNCE_MS, now);
  if (remainingMs > 0) return stay([], remainingMs);
  return move(state, { jobDeploymentStatus: formerState(status), reason: undefined, message: undefined });
}

/** The former state is not stored. It follows from the other fields of the status. */
function formerState(status: RayJobStatus): JobDeploymentStatus {
  if (status.endTime !== undefined) return finalState(status);
  const outcome = status.attempts?.at(-1)?.outcome;
  if (outcome === 'Suspended') return JobDeploymentStatus.Suspending;
  if (outcome === 'Failed' || outcome === 'Lost') return JobDeploymentStatus.Retrying;
  if (status.dashboardURL !== undefined)
    return status.jobId ? JobDeploymentStatus.Running : JobDeploymentStatus.Waiting;
  return status.rayClusterName === undefined ? JobDeploymentStatus.New : JobDeploymentStatus.Initializing;
}

function finalState({ jobStatus }: RayJobStatus): JobDeploymentStatus {
  return jobStatus === RayJobState.Succeeded || jobStatus === RayJobState.Stopped
    ? JobDeploymentStatus.Complete
    : JobDeploymentStatus.Failed;
}
