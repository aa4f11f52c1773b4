import { RayJobEventReason } from '@manta/api';
import { deleteOwn, patchOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { isOwnCluster } from './cluster.ts';
import { fullName } from '../shared/names.ts';
import type { JobState } from './state.ts';

/** A cluster of a former attempt. */
export interface OrphanedCluster {
  readonly name: string;
  readonly uid: string;
  /** The uid of the controller that owns the cluster. */
  readonly owner: string | undefined;
}

/** Deletes clusters of former attempts. They would otherwise exist for as long as the job. */
export function deleteOrphanedClusters(state: JobState): readonly Action[] {
  return (state.orphanedClusters ?? []).flatMap((orphan) => {
    const note = `Deleted cluster ${fullName(state, orphan.name)} of an earlier attempt`;
    const done = normal(RayJobEventReason.DeletedRayCluster, 'Delete', note);
    return deleteOwn(state.uid, 'RayCluster', orphan, { done, isOptional: true });
  });
}

/** Deletes the job's own cluster, unless the cluster is terminating already. */
export function deleteOwnCluster(state: JobState): readonly Action[] {
  const { cluster } = state;
  const { name = '', deletionTimestamp } = cluster?.metadata ?? {};
  if (cluster === undefined || !isOwnCluster(state) || deletionTimestamp !== undefined) return [];
  const object = `cluster ${fullName(state, name)}`;
  const done = normal(RayJobEventReason.DeletedRayCluster, 'Delete', `Deleted ${object}`);
  const failed = warning(RayJobEventReason.FailedToDeleteRayCluster, 'Delete', `Failed to delete ${object}:`);
  return deleteOwn(state.uid, 'RayCluster', cluster, { done, failed });
}

/** Suspends every worker group of the job's cluster. The head stays for inspection. */
export function suspendWorkerGroups(state: JobState): readonly Action[] {
  if (state.cluster === undefined) return [];
  const { metadata, spec } = state.cluster;
  const { name = '', resourceVersion } = metadata ?? {};
  const workerGroupSpecs = (spec?.workerGroupSpecs ?? []).map((group) => ({ ...group, suspend: true }));
  const cluster = fullName(state, name);
  const done = normal(
    RayJobEventReason.UpdatedRayCluster,
    'Update',
    `Set the \`suspend\` field to true for all worker groups in cluster ${cluster}`,
  );
  const failed = warning(
    RayJobEventReason.FailedToUpdateRayCluster,
    'Update',
    `Failed to suspend worker groups in cluster ${cluster}:`,
  );
  const patch = { metadata: { resourceVersion }, spec: { workerGroupSpecs } };
  return patchOwn(state.uid, 'RayCluster', state.cluster, patch, { done, failed });
}
