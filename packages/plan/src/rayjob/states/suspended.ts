import { JobDeploymentStatus } from '@manta/api';
import { releaseGang } from '../gang.ts';
import type { JobState } from '../state.ts';
import { move, type Step, stay } from '../step.ts';
import { GANG_RELEASE_RETRY_MS } from '../timers.ts';

/**
 * Suspended: the job waits until its user sets `suspend` to false. Meanwhile the operator retries to release the batch scheduler's objects,
 * if the API server refused that during the teardown.
 */
export function staySuspended(state: JobState): Step {
  if (state.spec.suspend !== true) return move(state, { jobDeploymentStatus: JobDeploymentStatus.New });
  const actions = releaseGang(state);
  return stay(actions, actions.length === 0 ? undefined : GANG_RELEASE_RETRY_MS);
}
