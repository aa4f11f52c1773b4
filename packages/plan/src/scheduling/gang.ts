import {
  desiredPods,
  GroupName,
  hostsPerReplica,
  isAutoscalingEnabled,
  type PodSpec,
  type RayCluster,
  type RayClusterSpec,
  type WorkerGroupSpec,
} from '@manta/api';
import { type Amounts, addAmounts, NO_AMOUNTS, podAmounts, timesAmounts } from '../amounts.ts';
import type { BuildContext } from '../build/context.ts';
import { buildHeadPod } from '../build/head-pod.ts';
import { buildWorkerPod } from '../build/worker-pod.ts';
import type { GangOwner } from './scheduler.ts';

/** The pods that a batch scheduler starts together or not at all. */
export interface Gang {
  readonly owner: GangOwner;
  readonly spec: RayClusterSpec;
  /** Computed on demand: most reconciles do not need it. */
  readonly members: () => readonly Member[];
}

/** Equal pods of a gang as they will be created, including sidecars. */
export interface Member {
  readonly group: string;
  readonly pod: PodSpec;
  /** The desired number of pods. */
  readonly desired: number;
  /** The number of pods that must be placed together; the autoscaler adds the rest. */
  readonly least: number;
  readonly isSuspended?: boolean;
}

/** The gang of a cluster, plus the submitter's pod if its job has one. */
export function gangOf(
  owner: GangOwner,
  cluster: RayCluster,
  spec: RayClusterSpec,
  context: BuildContext,
  submitter?: () => PodSpec | undefined,
): Gang {
  let known: readonly Member[] | undefined;
  const members = () => {
    known ??= [...clusterMembers(cluster, spec, context), ...submitterMembers(submitter?.())];
    return known;
  };
  return { owner, spec, members };
}

/** The number of Ray pods that must start together. The submitter starts later and does not count. */
export function memberCount(gang: Gang): number {
  return rayMembers(gang).reduce((sum, member) => sum + counted(gang, member), 0);
}

/**
 * The resources of the gang, including the submitter's, which need room too. A group with zero pods counts with an amount of zero for each
 * of its resources; a suspended group is left out.
 */
export function gangAmounts(gang: Gang): Amounts {
  return gang
    .members()
    .filter(({ isSuspended = false }) => !isSuspended)
    .map((member) => timesAmounts(podAmounts(member.pod), counted(gang, member)))
    .reduce(addAmounts, NO_AMOUNTS);
}

function counted({ spec }: Gang, { desired, least }: Member): number {
  return isAutoscalingEnabled(spec) ? least : desired;
}

function rayMembers(gang: Gang): readonly Member[] {
  return gang.members().filter(({ group }) => group !== GroupName.Submitter);
}

function clusterMembers(cluster: RayCluster, spec: RayClusterSpec, context: BuildContext): readonly Member[] {
  const head = buildHeadPod(cluster, spec, context).spec ?? NO_POD;
  return [
    { group: GroupName.Head, pod: head, desired: 1, least: 1 },
    ...(spec.workerGroupSpecs ?? []).map((group) => ({
      group: group.groupName,
      pod: buildWorkerPod(cluster, spec, group, context).spec ?? NO_POD,
      desired: desiredPods(group),
      least: leastPods(group),
      isSuspended: group.suspend === true,
    })),
  ];
}

const NO_POD: PodSpec = { containers: [] };

/** A suspended group has no pods, whatever its minimum is. */
function leastPods(group: WorkerGroupSpec): number {
  return group.suspend === true ? 0 : (group.minReplicas ?? 0) * hostsPerReplica(group);
}

function submitterMembers(pod: PodSpec | undefined): readonly Member[] {
  return pod === undefined ? [] : [{ group: GroupName.Submitter, pod, desired: 1, least: 1 }];
}
