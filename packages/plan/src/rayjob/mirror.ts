import { canonicalJson, type RayClusterStatus, type RayJobStatus } from '@manta/api';
import type { Subject } from './subject.ts';

/** What a job shows of a cluster before there is one. */
export const NO_CLUSTER_STATUS: RayClusterStatus = {
  desiredCPU: '0',
  desiredGPU: '0',
  desiredMemory: '0',
  desiredTPU: '0',
  head: {},
};

/** The copy of the cluster's status that a job carries for its readers, `observedGeneration` included: it is the cluster's own. */
export function mirrored({ cluster }: Pick<Subject, 'cluster'>): RayClusterStatus {
  return { ...NO_CLUSTER_STATUS, ...cluster?.status };
}

/** Whether the copy no longer tells the same; when the cluster was last written does not matter. */
export function isMirrorOutdated(before: RayClusterStatus | undefined, after: RayClusterStatus | undefined): boolean {
  return before !== after && essence(before) !== essence(after);
}

/** Whether the cluster is in another state than the copy shows: users wait for that, so the write is not debounced. */
export function isNewState(
  { rayClusterStatus: before }: Pick<RayJobStatus, 'rayClusterStatus'>,
  { rayClusterStatus: after }: Pick<RayJobStatus, 'rayClusterStatus'>,
): boolean {
  return (before?.state ?? '') !== (after?.state ?? '');
}

function essence(status: RayClusterStatus = NO_CLUSTER_STATUS): string {
  const { lastUpdateTime: _updated, observedGeneration: _generation, stateTransitionTimes: _times, ...rest } = status;
  const { desiredCPU: _cpu, desiredGPU: _gpu, desiredMemory: _memory, desiredTPU: _tpu, ...told } = rest;
  return canonicalJson({ ...told, head: told.head ?? {} });
}
