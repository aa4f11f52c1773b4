import { Annotation, type JobDeploymentStatus } from '@manta/api';
import { isOwnCluster } from './cluster.ts';
import { deleteOwnCluster } from './cluster-deletion.ts';
import { releaseGang } from './gang.ts';
import type { JobState } from './state.ts';
import { clearedForNextAttempt } from './status.ts';
import { type Step, stay, withFields } from './step.ts';
import { deleteSubmitter, ownSubmitter } from './submitter.ts';
import { OLD_PODS_POLL_MS } from './timers.ts';

/**
 * Deletes the cluster and the submitter of an attempt, then moves the job to `next`. A teardown always runs to its end, regardless of later
 * edits of the spec.
 */
export function tearDownAttempt(state: JobState, next: JobDeploymentStatus): Step {
  if (isOwnCluster(state) || ownSubmitter(state) !== undefined)
    return stay([...deleteOwnCluster(state), ...deleteSubmitter(state)]);
  if (isWaitingForPods(state)) return stay([], OLD_PODS_POLL_MS);
  const status = withFields(clearedForNextAttempt(state.status), { jobDeploymentStatus: next });
  return { actions: releaseGang(state), status };
}

/** Pods end in the background. Only users who set the annotation wait for them, so that no two attempts overlap. */
function isWaitingForPods({ job, podCount, selectsExistingCluster }: JobState): boolean {
  return !selectsExistingCluster && podCount > 0 && job.metadata?.annotations?.[Annotation.WaitForOldPods] === 'true';
}
