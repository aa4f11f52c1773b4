import { JobDeploymentStatus } from '@manta/api';
import type { JobState } from '../state.ts';
import type { Step } from '../step.ts';
import { tearDownAttempt } from '../teardown.ts';

/** Retrying: deletes the failed attempt's objects; afterwards the job is New and starts its next attempt. */
export function prepareRetry(state: JobState): Step {
  return tearDownAttempt(state, JobDeploymentStatus.New);
}
