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
 * The name of the next head. It depends only on stored data: every operator, even one that does not know yet that it lost its lease,
 * derives the same name, and the API server lets only one of them create it.
 */
export function headName({ name, uid, cluster }: ClusterState): string {
  const predecessor = predecessorOf(cluster.status);
  const place = { clusterUid: uid, group: GroupName.Head, place: 'head', predecessor };
  return derivedPodName(podNames.headPrefix(name), place, new Set());
}

/**
 * The name of a deleted head that the status keeps, so that its successor gets another; undefined if the cluster gets no other head. The
 * name of a head that may not be replaced is kept only if a condition reports that the head no longer exists.
 */
export function lastHeadName(state: ClusterState): string | undefined {
  const { cluster, context } = state;
  const isReported = !mayNotComeBack(cluster) || context.gates.RayClusterStatusConditions;
  return isReported && isHeadWanted(state) ? cluster.status?.head?.podName : undefined;
}

/** The existing head according to the status, which may also keep the name of a deleted one. */
export function headInStatus(status: RayClusterStatus | undefined): string | undefined {
  const { HeadPodReady } = RayClusterConditionType;
  const verdict = status?.conditions?.find(({ type }) => type === HeadPodReady);
  return verdict?.reason === RayClusterConditionReason.HeadPodNotFound ? undefined : status?.head?.podName;
}

/** Key of the last head among the last holders; no worker's place has this name. */
export const HEAD_PLACE = 'head';

/** A running cluster needs a head, unless its user has disabled the restart of a provisioned head. */
export function isHeadWanted(state: ClusterState): boolean {
  if (suspendPhase(state) !== 'running' || state.spec.suspend === true) return false;
  return !isOnlyHead(state.cluster);
}

/** Whether the cluster gets no head after the one it had. */
export function isOnlyHead(cluster: RayCluster): boolean {
  return isProvisioned(cluster) && mayNotComeBack(cluster);
}

/** Identifies the heads before the next one: the last head's name or, if the status did not keep it, when there was a head. */
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
