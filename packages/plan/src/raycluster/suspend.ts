import { isConditionTrue, RayClusterConditionType, RayClusterEventReason } from '@manta/api';
import { deleteExcepted } from '../ownership.ts';
import { type Action, normal, type PlannedEvent, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { deletePods } from './delete-pods.ts';
import type { Subject } from './subject.ts';

/** Where a cluster stands between running and suspended. */
export type SuspendPhase = 'running' | 'suspending' | 'suspended';

/**
 * The phase as the conditions have it, so that a suspension once begun is carried to its end whatever the spec says meanwhile. Without
 * conditions (their gate is off) the spec alone decides.
 */
export function suspendPhase({ cluster, spec, context }: Subject): SuspendPhase {
  if (!context.gates.RayClusterStatusConditions) return spec.suspend === true ? 'suspending' : 'running';
  const conditions = cluster.status?.conditions;
  if (isConditionTrue(conditions, RayClusterConditionType.Suspending)) return 'suspending';
  if (isConditionTrue(conditions, RayClusterConditionType.Suspended)) return 'suspended';
  return 'running';
}

/** Takes all pods down, also those that a deleted cluster of this name has left; nothing else of the cluster is touched. */
export function suspendPods(subject: Subject): readonly Action[] {
  return [...suspendOwnPods(subject), ...deleteFormerPods(subject)];
}

function deleteFormerPods({ formerPods }: Subject): readonly Action[] {
  return formerPods
    .filter(({ isTerminating }) => !isTerminating)
    .map((pod) => {
      const { ownerCluster, createdAt } = pod;
      const exception = { name: 'pod-of-former-cluster', cluster: ownerCluster, createdAt } as const;
      return deleteExcepted(exception, 'Pod', pod, { isOptional: true });
    });
}

function suspendOwnPods(subject: Subject): readonly Action[] {
  if (subject.pods.length === 0 && isUntold(subject)) return [tellSuspension(subject)];
  if (subject.pods.every(({ isTerminating }) => isTerminating)) return [];
  const failed = warning(
    RayClusterEventReason.FailedToDeletePodCollection,
    'Delete',
    `Failed deleting Pods due to suspension for RayCluster ${fullName(subject, subject.name)}`,
  );
  return deletePods(subject, subject.pods, { done: suspensionEvent(subject), failed, failure: 'FailedDeleteAllPods' });
}

/** Says that a suspension begins where there is no pod whose deletion would say so. */
export function tellSuspension(subject: Subject): Action {
  return { type: 'event', event: suspensionEvent(subject) };
}

function suspensionEvent(subject: Subject): PlannedEvent {
  const note = `Deleted Pods for RayCluster ${fullName(subject, subject.name)} due to suspension`;
  return normal(RayClusterEventReason.DeletedPod, 'Delete', note);
}

/** Without conditions there is no earlier pass in which a suspension without pods could be told. */
function isUntold({ cluster: { status }, context }: Subject): boolean {
  return !context.gates.RayClusterStatusConditions && !status?.head?.podName && status?.state !== 'suspended';
}
