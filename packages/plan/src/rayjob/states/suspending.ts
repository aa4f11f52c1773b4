import { JobDeploymentStatus } from '@manta/api';
import type { JobState } from '../state.ts';
import type { Step } from '../step.ts';
import { tearDownAttempt } from '../teardown.ts';

/** Suspending: deletes the attempt's objects; afterwards the job is Suspended. */
export function finishSuspension(state: JobState): Step {
  return tearDownAttempt(state, JobDeploymentStatus.Suspended);
}
