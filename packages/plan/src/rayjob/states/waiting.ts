import { JobDeploymentStatus } from '@manta/api';
import { createOrRequireCluster } from '../cluster.ts';
import type { JobState } from '../state.ts';
import { move, type Step, stay } from '../step.ts';
import { failPastPreRunningDeadline, msToPreRunningDeadline } from '../timers.ts';

/** Waiting (InteractiveMode): the cluster is ready. The user submits a Ray job and sets its id in `spec.jobId`. */
export function waitForUserSubmission(state: JobState): Step {
  const late = failPastPreRunningDeadline(state);
  if (late !== undefined) return late;
  const { spec, cluster } = state;
  const { jobId } = spec;
  // A deleted cluster is recreated: without it the user has nothing to submit to.
  if (!jobId) return stay(cluster === undefined ? createOrRequireCluster(state) : [], msToPreRunningDeadline(state));
  return move(state, { jobId, jobDeploymentStatus: JobDeploymentStatus.Running });
}
