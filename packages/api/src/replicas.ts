/** How many pods a spec asks for. */
import { MAX_INT32 } from './limits.ts';
import { type Loose, listOf, numberOf } from './loose.ts';
import type { RayClusterSpec, WorkerGroupSpec } from './raycluster.ts';

type Group = Loose<WorkerGroupSpec>;

/** Pods a replica: one where nothing is said, as in objects that predate the field. Whoever writes 0 gets none. */
export function hostsPerReplica(group: Group): number {
  return Math.max(0, numberOf(group?.numOfHosts) ?? 1);
}

/** Replicas of a group, held between its bounds; none where it is suspended. */
export function desiredReplicas(group: Group): number {
  if (group?.suspend === true) return 0;
  const min = numberOf(group?.minReplicas) ?? 0;
  const max = numberOf(group?.maxReplicas) ?? MAX_INT32;
  const replicas = numberOf(group?.replicas);
  if (replicas === undefined || replicas < min) return min;
  return Math.min(replicas, max);
}

/** Pods of a group. */
export function desiredPods(group: Group): number {
  return desiredReplicas(group) * hostsPerReplica(group);
}

/** Worker pods that a cluster wants right now. */
export function desiredWorkerPods(spec: Loose<RayClusterSpec>): number {
  return sumOverGroups(spec, desiredPods);
}

/** Worker pods that a cluster never goes below. */
export function minWorkerPods(spec: Loose<RayClusterSpec>): number {
  return sumOverGroups(spec, (group) => boundedPods(group, numberOf(group?.minReplicas) ?? 0));
}

/** Worker pods that a cluster never goes beyond. */
export function maxWorkerPods(spec: Loose<RayClusterSpec>): number {
  return sumOverGroups(spec, (group) => boundedPods(group, numberOf(group?.maxReplicas) ?? MAX_INT32));
}

function boundedPods(group: Group, replicas: number): number {
  return group?.suspend === true ? 0 : replicas * hostsPerReplica(group);
}

/** The sum goes into an int32 field of the status, so it stops there. */
function sumOverGroups(spec: Loose<RayClusterSpec>, podsOf: (group: Group) => number): number {
  const sum = listOf(spec?.workerGroupSpecs).reduce((total, group) => total + podsOf(group), 0);
  return Math.min(sum, MAX_INT32);
}
