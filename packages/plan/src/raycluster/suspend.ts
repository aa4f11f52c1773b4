import { isConditionTrue, RayClusterConditionType, RayClusterEventReason } from '@manta/api';
import { deleteExcepted } from '../ownership.ts';
import { type Action, normal, type PlannedEvent, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { deletePods } from './child-actions.ts';
import type { ClusterState } from './cluster-state.ts';

/** Where a cluster stands between running and suspended. */
export type SuspendPhase = 'running' | 'suspending' | 'suspended';

/**
 * The phase according to the conditions, so that a suspension that has started is carried out to its end even if the spec changes
 * meanwhile. Without conditions (their gate is off) the spec alone decides.
 */
export function suspendPhase({ cluster, spec, context }: ClusterState): SuspendPhase {
  if (!context.gates.RayClusterStatusConditions) return spec.suspend === true ? 'suspending' : 'running';
  const conditions = cluster.status?.conditions;
  if (isConditionTrue(conditions, RayClusterConditionType.Suspending)) return 'suspending';
  if (isConditionTrue(conditions, RayClusterConditionType.Suspended)) return 'suspended';
  return 'running';
}

/** Whether a suspension is requested or under way. */
export function isSuspensionPending(state: ClusterState): boolean {
  return suspendPhase(state) === 'suspending' || state.spec.suspend === true;
}

/**
 * What a suspension does to the pods; undefined while the cluster runs. It also deletes pods that a deleted cluster of this name left,
 * and pods that were created while it ended. No other object is touched.
 */
export function suspendPods(state: ClusterState): readonly Action[] | undefined {
  const phase = suspendPhase(state);
  const isRequested = state.spec.suspend === true;
  if (phase === 'suspending' || (phase === 'suspended' && isRequested))
    return [...suspendOwnPods(state), ...deleteFormerPods(state)];
  if (phase === 'suspended') return [];
  if (!isRequested) return undefined;
  // The status records a requested suspension before the first pod is deleted, so that it is carried out to its end.
  return state.pods.length === 0 ? [suspensionAction(state)] : [];
}

function deleteFormerPods({ formerPods }: ClusterState): readonly Action[] {
  return formerPods
    .filter(({ isTerminating }) => !isTerminating)
    .map((pod) => {
      const { ownerCluster, createdAt } = pod;
      const exception = { name: 'pod-of-former-cluster', cluster: ownerCluster, createdAt } as const;
      return deleteExcepted(exception, 'Pod', pod, { isOptional: true });
    });
}

function suspendOwnPods(state: ClusterState): readonly Action[] {
  if (state.pods.length === 0 && isNotYetReported(state)) return [suspensionAction(state)];
  if (state.pods.every(({ isTerminating }) => isTerminating)) return [];
  const failed = warning(
    RayClusterEventReason.FailedToDeletePodCollection,
    'Delete',
    `Failed deleting Pods due to suspension for RayCluster ${fullName(state, state.name)}`,
  );
  return deletePods(state, state.pods, { done: suspensionEvent(state), failed, failure: 'FailedDeleteAllPods' });
}

/** Reports a suspension of a cluster without pods, whose deletion would report it. */
function suspensionAction(state: ClusterState): Action {
  return { type: 'event', event: suspensionEvent(state) };
}

function suspensionEvent(state: ClusterState): PlannedEvent {
  const note = `Deleted Pods for RayCluster ${fullName(state, state.name)} due to suspension`;
  return normal(RayClusterEventReason.DeletedPod, 'Delete', note);
}

/** Without conditions no earlier reconcile could report a suspension without pods. */
function isNotYetReported({ cluster: { status }, context }: ClusterState): boolean {
  return !context.gates.RayClusterStatusConditions && !status?.head?.podName && status?.state !== 'suspended';
}
