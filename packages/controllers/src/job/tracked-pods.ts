import { type Job, millis, type Pod } from '@manta/api';
import type { Stored } from '../framework/cluster.ts';
import { hasPodEnded, isPodReady, podCondition } from '@manta/apiserver';

/** The finalizer that keeps a job's pod until its end has been counted. */
export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';

/** A job's pods, by what they mean to it. */
export interface TrackedPods {
  /** Neither ended nor asked to. */
  readonly active: readonly Stored<Pod>[];
  readonly ready: number;
  /** Asked to end, and not there yet. */
  readonly terminating: number;
  /** Ended well or badly and not counted before. */
  readonly newlySucceeded: readonly Stored<Pod>[];
  readonly newlyFailed: readonly Stored<Pod>[];
}

/** Sorts a job's pods. A pod that was deleted counts as failed at once, unless the job replaces only pods that have failed. */
export function sortPods(job: Job, pods: readonly Stored<Pod>[], isFailing: boolean): TrackedPods {
  const isDeletionFailure = isFailing || job.spec?.podReplacementPolicy !== 'Failed';
  const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
  const fresh = pods
    .filter(({ metadata: { uid } }) => !succeeded.includes(uid) && !failed.includes(uid))
    .filter(isTracked);
  const active = pods.filter((pod) => !hasPodEnded(pod) && !isDeleted(pod));
  return {
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => !hasPodEnded(pod) && isDeleted(pod)).length,
    newlySucceeded: fresh.filter(({ status }) => status?.phase === 'Succeeded'),
    newlyFailed: fresh.filter(
      (pod) => pod.status?.phase === 'Failed' || (!hasPodEnded(pod) && isDeleted(pod) && isDeletionFailure),
    ),
  };
}

/** Whether a pod still waits to be counted. */
export function isTracked({ metadata }: Stored<Pod>): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

/** When a pod ended, as far as known. */
export function finishedAt(pod: Stored<Pod>): number {
  const times = (pod.status?.containerStatuses ?? []).map(({ state }) => millis(state?.terminated?.finishedAt));
  const known = times.filter((time) => time !== undefined);
  if (known.length > 0 && known.length === times.length) return Math.max(...known);
  const ready = podCondition(pod, 'Ready');
  const unready = ready?.status === 'False' ? millis(ready.lastTransitionTime) : undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  const deleted = millis(deletionTimestamp);
  return (
    unready ?? (deleted === undefined ? millis(creationTimestamp) : deleted - deletionGracePeriodSeconds * 1000) ?? 0
  );
}

function isDeleted({ metadata }: Stored<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
