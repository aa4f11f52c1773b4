import { isConditionTrue, Label, RayClusterConditionType, RayClusterEventReason } from '@manta/api';
import { type Action, normal, warning } from '../plan.ts';
import { fullName, type Subject } from './subject.ts';

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

/** Takes all pods down; nothing else of the cluster is touched. It is told once, also of a cluster that never had a pod. */
export function suspendPods(subject: Subject): readonly Action[] {
  const cluster = fullName(subject, subject.name);
  const note = `Deleted Pods for RayCluster ${cluster} due to suspension`;
  const done = normal(RayClusterEventReason.DeletedPod, 'Delete', note);
  if (subject.pods.length === 0 && isBeginning(subject)) return [{ type: 'event', event: done }];
  if (subject.pods.every(({ isTerminating }) => isTerminating)) return [];
  return [
    {
      type: 'delete-pods',
      labels: { [Label.Cluster]: subject.name },
      done,
      failed: warning(
        RayClusterEventReason.FailedToDeletePodCollection,
        'Delete',
        `Failed deleting Pods due to suspension for RayCluster ${cluster}`,
      ),
      failure: 'FailedDeleteAllPods',
    },
  ];
}

/** A suspension that nobody has been told of: there was no pod to delete. */
function isBeginning({ cluster: { status }, context }: Subject): boolean {
  if (status?.head?.podName) return false;
  const { Suspended } = RayClusterConditionType;
  return context.gates.RayClusterStatusConditions
    ? !isConditionTrue(status?.conditions, Suspended)
    : status?.state !== 'suspended';
}
