import { canonicalJson, type RayClusterStatus, type RayJobStatus } from '@manta/api';
import type { JobState } from './state.ts';

/** The copy before the job's cluster has a status. */
export const EMPTY_CLUSTER_STATUS: RayClusterStatus = {
  desiredCPU: '0',
  desiredGPU: '0',
  desiredMemory: '0',
  desiredTPU: '0',
  head: {},
};

/** The copy of the cluster's status in `status.rayClusterStatus`. Its `observedGeneration` is the cluster's, not the job's. */
export function copyClusterStatus({ cluster }: Pick<JobState, 'cluster'>): RayClusterStatus {
  return { ...EMPTY_CLUSTER_STATUS, ...cluster?.status };
}

/** Whether the copy differs in more than times, generation and desired resources. */
export function isCopyOutdated(before: RayClusterStatus | undefined, after: RayClusterStatus | undefined): boolean {
  return before !== after && comparable(before) !== comparable(after);
}

/** Whether the cluster's state differs from the copy's. Users wait for the state, so such a write is not debounced. */
export function hasClusterStateChanged(
  { rayClusterStatus: before }: Pick<RayJobStatus, 'rayClusterStatus'>,
  { rayClusterStatus: after }: Pick<RayJobStatus, 'rayClusterStatus'>,
): boolean {
  return (before?.state ?? '') !== (after?.state ?? '');
}

function comparable(status: RayClusterStatus = EMPTY_CLUSTER_STATUS): string {
  const { lastUpdateTime: _updated, observedGeneration: _generation, stateTransitionTimes: _times, ...rest } = status;
  const { desiredCPU: _cpu, desiredGPU: _gpu, desiredMemory: _memory, desiredTPU: _tpu, ...compared } = rest;
  return canonicalJson({ ...compared, head: compared.head ?? {} });
}
