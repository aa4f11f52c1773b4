import {
  type Condition,
  isConditionTrue,
  JobFailedReason,
  JobSubmissionMode,
  RayClusterConditionType,
  type RayClusterStatus,
  type RayJob,
  type RayJobStatus,
} from '@manta/api';
import { headInStatus } from '../raycluster/head-name.ts';
import type { JobState } from './state.ts';
import { failAttempt, type Step, stay } from './step.ts';
import { msToClusterLoss } from './timers.ts';

/** KubeRay's message for a job whose submitter ran in a head pod that no longer exists. */
export const HEAD_NOT_FOUND = 'Ray head pod not found.';

/** How often Ray was restarted within the cluster's current head pod. */
export function headRestarts({ heads, cluster }: JobState): number {
  const current = headInStatus(cluster?.status);
  return heads.find(({ name }) => name === current)?.head?.restarts ?? 0;
}

/**
 * Whether Ray is the same process that the job was sent to or last seen in. `replaced`: another head pod, or Ray was restarted within the
 * pod. `unknown`: the caches of pods and clusters disagree, so the answer has to wait.
 */
export function headContinuity(state: JobState): 'same' | 'replaced' | 'unknown' {
  const { status, cluster, heads } = state;
  const before = status.rayClusterStatus?.head?.podName;
  const current = headInStatus(cluster?.status);
  if (before !== undefined && before !== current) return current === undefined ? 'unknown' : 'replaced';
  // The cache of clusters may be behind the cache of pods: then another head answers than the cluster's status names.
  if (before !== undefined && !heads.some(({ name }) => name === before)) return 'unknown';
  const last = status.attempts?.at(-1);
  return last !== undefined && headRestarts(state) > (last.headRestarts ?? 0) ? 'replaced' : 'same';
}

/** Whether neither the pods nor the cluster's status show a head. The cache of pods alone may be behind. */
export function isHeadless({ heads, cluster }: JobState): boolean {
  return heads.length === 0 && headInStatus(cluster?.status) === undefined;
}

/** Whether a head pod runs. */
export function isHeadRunning({ heads }: JobState): boolean {
  return heads.some(({ phase }) => phase === 'Running');
}

/**
 * Whether a cluster has ever had a ready head. `lastTransitionTime` changes only with the condition's status: a head that was never ready
 * has the same time as `Provisioned`.
 */
export function hasHadReadyHead({ conditions = [] }: RayClusterStatus = {}): boolean {
  const { HeadPodReady, Provisioned } = RayClusterConditionType;
  if (isConditionTrue(conditions, HeadPodReady) || isConditionTrue(conditions, Provisioned)) return true;
  return transitionTime(conditions, HeadPodReady) > transitionTime(conditions, Provisioned);
}

function transitionTime(conditions: readonly Condition[], type: string): number {
  return Date.parse(conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? '');
}

/** Whether a status is the first to record a ready head that may run a job in SidecarMode. Such a write is not debounced. */
export function recordsFirstReadyHead({ spec, status }: RayJob, after: RayJobStatus): boolean {
  const isSidecar = spec?.submissionMode === JobSubmissionMode.Sidecar;
  return isSidecar && hasHadReadyHead(after.rayClusterStatus) && !hasHadReadyHead(status?.rayClusterStatus);
}

/** Whether the head of a job in SidecarMode, which may have run the job, was replaced. The new head runs the job again. */
export function isSidecarHeadReplaced(state: JobState): boolean {
  const { mode, status } = state;
  const mayHaveRun = mode === JobSubmissionMode.Sidecar && hasHadReadyHead(status.rayClusterStatus);
  return mayHaveRun && headContinuity(state) === 'replaced';
}

/** A job in SidecarMode is lost with its cluster. The attempt fails once the cluster has been missing for long enough. */
export function failAfterClusterLoss(state: JobState): Step {
  const remainingMs = msToClusterLoss(state);
  return remainingMs > 0 ? stay([], remainingMs) : failAttempt(state, JobFailedReason.AppFailed, HEAD_NOT_FOUND);
}
