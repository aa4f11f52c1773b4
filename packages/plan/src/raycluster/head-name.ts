import {
  Annotation,
  GroupName,
  isConditionTrue,
  isManagedExternally,
  NodeType,
  podNames,
  type RayCluster,
  RayClusterConditionReason,
  RayClusterConditionType,
  type RayClusterStatus,
  withRayClusterDefaults,
} from '@manta/api';
import { checkRayCluster } from './check.ts';
import type { ObservedRayCluster } from './observed.ts';
import { derivedPodName } from './pod-names.ts';
import { ownPods, type Subject, subjectOf } from './subject.ts';
import { suspendPhase } from './suspend.ts';

/**
 * The name of the head that is to come. It follows from what is stored and from nothing else: whoever looks, also an operator that does not
 * know yet that it has a successor, comes to the same name, and the API server lets only one of them make it.
 */
export function headName({ name, uid, cluster }: Subject): string {
  const predecessor = predecessorOf(cluster.status);
  const place = { clusterUid: uid, group: GroupName.Head, place: 'head', predecessor };
  return derivedPodName(podNames.headPrefix(name), place, new Set());
}

/**
 * The name that the status keeps of a head that is gone, so that its successor gets another; undefined where none may come. A head that runs
 * something by itself must not seem to be there when it is not: where no condition says so, its name is not kept.
 */
export function lastHeadName(subject: Subject): string | undefined {
  const { cluster, context } = subject;
  const isToldOf = !mayNotComeBack(cluster) || context.gates.RayClusterStatusConditions;
  return isToldOf && isHeadWanted(subject) ? cluster.status?.head?.podName : undefined;
}

/** The head that a cluster has, as its status tells it; a name that is kept of one that is gone is none. */
export function headInStatus(status: RayClusterStatus | undefined): string | undefined {
  const { HeadPodReady } = RayClusterConditionType;
  const verdict = status?.conditions?.find(({ type }) => type === HeadPodReady);
  return verdict?.reason === RayClusterConditionReason.HeadPodNotFound ? undefined : status?.head?.podName;
}

/** Under this the last head is among the last holders; no place of a worker is called so. */
export const HEAD_PLACE = 'head';

/**
 * Whether it looks as if there were no head where there has been one, or may have been before this operator began, at `startedAt`. A cache
 * of pods that is behind looks the same, so that this has to be made sure of before anything is done about it.
 */
export function isHeadInQuestion(observed: ObservedRayCluster, startedAt: number): boolean {
  if (ownPods(observed).some(({ nodeType }) => nodeType === NodeType.Head)) return false;
  const { status, metadata } = observed.cluster;
  // The API tells whole seconds.
  const createdAt = Date.parse(metadata?.creationTimestamp ?? '') + 999;
  const isNew = predecessorOf(status) === undefined && createdAt >= startedAt;
  const isFirst = isNew && !observed.lastHolders.has(HEAD_PLACE);
  if (isFirst || metadata?.deletionTimestamp !== undefined) return false;
  const cluster = withRayClusterDefaults(observed.cluster);
  const { spec } = cluster;
  if (spec === undefined || isManagedExternally(spec)) return false;
  const subject = subjectOf(observed, cluster, spec);
  return isHeadWanted(subject) && checkRayCluster(subject).isUsable;
}

/** A cluster that runs has a head, unless its user has said that the first is the only one. */
export function isHeadWanted(subject: Subject): boolean {
  if (suspendPhase(subject) !== 'running' || subject.spec.suspend === true) return false;
  return !isOnlyHead(subject.cluster);
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
