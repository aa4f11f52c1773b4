import { Finalizer } from '@manta/api';
import { patchSelf } from '../ownership.ts';
import type { Action } from '../plan.ts';
import type { JobState } from './state.ts';
import { type Step, stay } from './step.ts';
import { stopRayJob, submitterDashboard } from './stop-job.ts';
import { msToDeletionRelease } from './timers.ts';

/** How often a token that is missing is looked up during a deletion. */
const TOKEN_POLL_MS = 1000;

/** A deleted RayJob: stops a Ray job that may still run, then removes the finalizer. The wait is bounded in every case. */
export function finishDeletion(state: JobState): Step | undefined {
  const { job, status, answer } = state;
  if (job.metadata?.deletionTimestamp === undefined) return undefined;
  if (!job.metadata.finalizers?.includes(Finalizer.RayJob)) return stay();
  const stop = stopRayJob(state, status.dashboardURL ?? submitterDashboard(state));
  const remainingMs = stop.length === 0 ? 0 : msToDeletionRelease(state);
  if (remainingMs <= 0) return stay(removeFinalizer(state));
  return answer.kind === 'unreachable' ? stay([], Math.min(remainingMs, TOKEN_POLL_MS)) : stay(stop, remainingMs);
}

function removeFinalizer({ job }: JobState): readonly Action[] {
  const { finalizers = [], resourceVersion } = job.metadata ?? {};
  const remaining = finalizers.filter((finalizer) => finalizer !== Finalizer.RayJob);
  return [patchSelf('RayJob', job, { metadata: { resourceVersion, finalizers: remaining } })];
}
