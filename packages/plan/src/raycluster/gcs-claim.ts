import { isGcsFaultToleranceEmbedded, Label, type PersistentVolumeClaim, SharedEventReason } from '@manta/api';
import { alignClaimOwner, buildGcsClaim, describeClaimDrift } from '../build/gcs-claim.ts';
import { isOwn, updateExcepted, updateOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';

/** The volume claim of the embedded GCS: created, adopted, or only checked if the user provides it. */
export function planClaim(state: ClusterState): readonly Action[] {
  const { cluster, spec, children, unreadable } = state;
  if (!isGcsFaultToleranceEmbedded(spec)) return [];
  const theirs = spec.gcsFaultToleranceOptions?.storage?.claimName;
  if (theirs && unreadable.has('PersistentVolumeClaim')) return [];
  if (theirs) return children.claims.some(({ metadata }) => metadata?.name === theirs) ? [] : [missing(state, theirs)];
  const wanted = buildGcsClaim(cluster, spec);
  const name = wanted?.metadata?.name ?? '';
  const live = children.claims.find(({ metadata }) => metadata?.name === name);
  if (wanted !== undefined && live === undefined) {
    const description = `GCS storage PVC ${fullName(state, name)}`;
    return [
      {
        type: 'create',
        kind: 'PersistentVolumeClaim',
        objects: [wanted],
        whenExists: 'fine',
        done: normal(SharedEventReason.CreatedPvc, 'Create', `Created ${description}`),
        failed: warning(SharedEventReason.FailedToCreatePvc, 'Create', `Failed to create ${description}`),
      },
    ];
  }
  if (live === undefined) return [];
  const drift = describeClaimDrift(live, spec);
  const aligned = alignClaimOwner(live, cluster, spec);
  return [
    ...(drift === undefined ? [] : [drifted(state, name, drift)]),
    ...(aligned === undefined ? [] : alignOwner(state, live, aligned)),
  ];
}

/** A claim of ours, or a claim without controller that was retained for a cluster of this name. */
function alignOwner(
  { uid, name }: ClusterState,
  live: PersistentVolumeClaim,
  aligned: PersistentVolumeClaim,
): readonly Action[] {
  if (isOwn(uid, live)) return updateOwn(uid, 'PersistentVolumeClaim', live, aligned);
  const exception = { name: 'retained-claim', cluster: live.metadata?.labels?.[Label.Cluster] } as const;
  if (exception.cluster !== name) return [];
  return [updateExcepted(exception, 'PersistentVolumeClaim', live, aligned)];
}

function missing(state: ClusterState, name: string): Action {
  const note = `GcsFaultToleranceOptions.Storage.ClaimName "${name}" not found in namespace ${state.namespace}; the head Pod will not start until it exists`;
  return { type: 'event', event: warning(SharedEventReason.FailedToCreatePvc, 'Validate', note) };
}

function drifted(state: ClusterState, name: string, drift: string): Action {
  const note = `GCS storage PVC ${fullName(state, name)} already exists and cannot be reconfigured in place (${drift}); delete the PVC to recreate it with the new settings`;
  return { type: 'event', event: warning(SharedEventReason.FailedToCreatePvc, 'Update', note) };
}
