import { applyDeletionStrategy } from '../deletion-strategy.ts';
import { releaseGang } from '../gang.ts';
import type { JobState } from '../state.ts';
import { type Step, stay } from '../step.ts';
import { stopJobPastDeadline } from '../stop-job.ts';
import { soonest } from '../timers.ts';

/** Failed: like Complete. First, a job that was cut off by its deadline is stopped, because Ray may still run it. */
export function cleanUpFailedJob(state: JobState): Step {
  const stop = stopJobPastDeadline(state);
  const cleanup = applyDeletionStrategy(state);
  const actions = [...stop.actions, ...cleanup.actions, ...releaseGang(state)];
  return stay(actions, soonest(stop.requeueAfterMs, cleanup.requeueAfterMs));
}
