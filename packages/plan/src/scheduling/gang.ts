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

/** Pods that are to start together or not at all. */
export interface Gang {
  readonly owner: GangOwner;
  readonly spec: RayClusterSpec;
  /** Worked out when it is asked for: most passes need none of it. */
  readonly members: () => readonly Member[];
}

/** Pods of one kind in a gang, as they will be created: sidecars, autoscaler and all. */
export interface Member {
  readonly group: string;
  readonly pod: PodSpec;
  /** Pods that are wanted now. */
  readonly desired: number;
  /** Pods without which nothing begins, where the autoscaler brings the rest. */
  readonly least: number;
  readonly isSuspended?: boolean;
}

/** The gang of a cluster, plus the pod of a submitter where a job has one. */
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

/** How many pods of Ray have to come together. A submitter comes later and is not waited for. */
export function memberCount(gang: Gang): number {
  return rayMembers(gang).reduce((sum, member) => sum + counted(gang, member), 0);
}

/**
 * What the gang asks for, the submitter included: room for it has to be left. Groups that have no pods now ask for nothing of each of
 * their resources, suspended ones for no resources.
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

/** A suspended group has no pods, whatever its least is. */
function leastPods(group: WorkerGroupSpec): number {
  return group.suspend === true ? 0 : (group.minReplicas ?? 0) * hostsPerReplica(group);
}

function submitterMembers(pod: PodSpec | undefined): readonly Member[] {
  return pod === undefined ? [] : [{ group: GroupName.Submitter, pod, desired: 1, least: 1 }];
}
