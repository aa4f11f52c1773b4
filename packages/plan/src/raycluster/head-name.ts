import {
  Annotation,
  GroupName,
  isConditionTrue,
  podNames,
  type RayCluster,
  RayClusterConditionReason,
  RayClusterConditionType,
  type RayClusterStatus,
} from '@manta/api';
import type { ClusterState } from './cluster-state.ts';
import { derivedPodName } from './derived-names.ts';
import { suspendPhase } from './suspend.ts';

/**
 * The name of the head that is to come. It follows from what is stored and from nothing else: whoever looks, also an operator that does not
 * know yet that it has a successor, comes to the same name, and the API server lets only one of them make it.
 */
export function headName({ name, uid, cluster }: ClusterState): string {
  const predecessor = predecessorOf(cluster.status);
  const place = { clusterUid: uid, group: GroupName.Head, place: 'head', predecessor };
  return derivedPodName(podNames.headPrefix(name), place, new Set());
}

/**
 * The name that the status keeps of a head that is gone, so that its successor gets another; undefined where none may come. A head that runs
 * something by itself must not seem to be there when it is not: where no condition says so, its name is not kept.
 */
export function lastHeadName(state: ClusterState): string | undefined {
  const { cluster, context } = state;
  const isToldOf = !mayNotComeBack(cluster) || context.gates.RayClusterStatusConditions;
  return isToldOf && isHeadWanted(state) ? cluster.status?.head?.podName : undefined;
}

/** The head that a cluster has, as its status tells it; a name that is kept of one that is gone is none. */
export function headInStatus(status: RayClusterStatus | undefined): string | undefined {
  const { HeadPodReady } = RayClusterConditionType;
  const verdict = status?.conditions?.find(({ type }) => type === HeadPodReady);
  return verdict?.reason === RayClusterConditionReason.HeadPodNotFound ? undefined : status?.head?.podName;
}

/** Under this the last head is among the last holders; no place of a worker is called so. */
export const HEAD_PLACE = 'head';

/** A cluster that runs has a head, unless its user has said that the first is the only one. */
export function isHeadWanted(state: ClusterState): boolean {
  if (suspendPhase(state) !== 'running' || state.spec.suspend === true) return false;
  return !isOnlyHead(state.cluster);
}

/** Whether the head that the cluster has had is the only one that it gets. */
export function isOnlyHead(cluster: RayCluster): boolean {
  return isProvisioned(cluster) && mayNotComeBack(cluster);
}

/** What tells this head from those before it: the last one's name or, where that was not kept, when there was one. */
export function predecessorOf(status: RayClusterStatus | undefined): string | undefined {
  const { head, stateTransitionTimes, conditions } = status ?? {};
  if (head?.podName !== undefined && head.podName !== '') return head.podName;
  const provisioned = conditions?.find(
    ({ type, status: value }) => type === RayClusterConditionType.Provisioned && value === 'True',
  );
  const times = [stateTransitionTimes?.['suspended'], provisioned?.lastTransitionTime];
  return times.some((time) => time !== undefined) ? times.join() : undefined;
}

function isProvisioned({ status }: RayCluster): boolean {
  return isConditionTrue(status?.conditions, RayClusterConditionType.Provisioned);
}

function mayNotComeBack({ metadata }: RayCluster): boolean {
  return metadata?.annotations?.[Annotation.DisableProvisionedHeadRestart] === 'true';
}
