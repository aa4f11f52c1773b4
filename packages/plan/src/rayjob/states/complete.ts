import { applyDeletionStrategy } from '../deletion-strategy.ts';
import { releaseGang } from '../gang.ts';
import type { JobState } from '../state.ts';
import { type Step, stay } from '../step.ts';

/** Complete: the operator deletes what the job's deletion strategy or TTL names, and releases the batch scheduler's objects. */
export function cleanUpCompletedJob(state: JobState): Step {
  const { actions, requeueAfterMs } = applyDeletionStrategy(state);
  return stay([...actions, ...releaseGang(state)], requeueAfterMs);
}
