import { desiredPods, hostsPerReplica, NodeType, RayClusterEventReason, type WorkerGroupSpec } from '@manta/api';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { deletePods } from './child-actions.ts';
import type { ClusterState } from './cluster-state.ts';
import { allowedCreations } from './create-backoff.ts';
import { describeState, reasonToDelete } from './ended-pods.ts';
import { planMultiHostGroup } from './multi-host.ts';
import type { PodRecord } from './observed.ts';
import {
  areWorkersNumbered,
  createWorkers,
  deleteWorker,
  mayChooseVictims,
  mostAtOnce,
  type NewWorker,
  smallestFree,
  takenNames,
  workerName,
} from './worker-pods.ts';

/** Every worker group in the order of the spec, then what is left of groups that the spec no longer has. */
export function planWorkers(state: ClusterState): readonly Action[] {
  const groups = state.spec.workerGroupSpecs ?? [];
  return [...groups.flatMap((group) => planGroup(state, group)), ...deleteWorkersOfRemovedGroups(state, groups)];
}

function planGroup(state: ClusterState, group: WorkerGroupSpec): readonly Action[] {
  const pods = state.pods.filter((pod) => pod.group === group.groupName && pod.nodeType !== NodeType.Head);
  if (group.suspend === true) return suspendGroup(state, group, pods);
  if (areWorkersNumbered(state) && hostsPerReplica(group) > 1) return planMultiHostGroup(state, group, pods);
  return planSingleHostGroup(state, group, pods);
}

function planSingleHostGroup(
  state: ClusterState,
  group: WorkerGroupSpec,
  pods: readonly PodRecord[],
): readonly Action[] {
  const unhealthy = pods.filter((pod) => reasonToDelete(pod, state.context.env) !== undefined);
  // Their places are filled in the next pass, when they are seen to be gone: never more pods than were asked for.
  if (unhealthy.length > 0) {
    return unhealthy.flatMap((pod) =>
      deleteWorker(state, pod, `worker Pod ${fullName(state, pod.name)}; ${describeState(pod)}`),
    );
  }
  const named = new Set(group.scaleStrategy?.workersToDelete ?? []);
  const asked = pods.filter((pod) => named.has(pod.name));
  const remaining = pods.filter((pod) => !named.has(pod.name));
  const missing = desiredPods(group) - remaining.length;
  const { count, actions } = allowedCreations(state, group.groupName, missing);
  return [
    ...asked
      .filter((pod) => !pod.isTerminating)
      .flatMap((pod) => deleteWorker(state, pod, `pod ${fullName(state, pod.name)}`)),
    ...actions,
    ...(count > 0 ? [createWorkers(state, group, newWorkers(state, group, pods, count))] : []),
    ...(missing < 0 && mayChooseVictims(state)
      ? victims(remaining, -missing).flatMap((pod) => deleteWorker(state, pod, `Pod ${fullName(state, pod.name)}`))
      : []),
  ];
}

/**
 * Those that are going anyway, then further hosts from when replicas had several, then those that do not work, then the youngest places.
 * Pods that are going are not deleted again.
 */
function victims(pods: readonly PodRecord[], count: number): readonly PodRecord[] {
  const rank = ({ isTerminating, hostIndex = 0, ready }: PodRecord) =>
    isTerminating ? 0 : hostIndex > 0 ? 1 : ready === 'True' ? 3 : 2;
  const order = (a: PodRecord, b: PodRecord) =>
    rank(a) - rank(b) ||
    (b.hostIndex ?? 0) - (a.hostIndex ?? 0) ||
    (b.replicaIndex ?? 0) - (a.replicaIndex ?? 0) ||
    (a.name < b.name ? -1 : 1);
  return pods
    .toSorted(order)
    .slice(0, count)
    .filter(({ isTerminating }) => !isTerminating);
}

function newWorkers(
  state: ClusterState,
  group: WorkerGroupSpec,
  pods: readonly PodRecord[],
  missing: number,
): readonly NewWorker[] {
  const count = Math.min(missing, mostAtOnce(state));
  const toDelete = new Set(group.scaleStrategy?.workersToDelete);
  if (!areWorkersNumbered(state)) {
    const present = new Set(pods.map(({ name }) => name));
    return unnumberedWorkers(state, group, count, toDelete, present);
  }
  const taken = takenNames(state, group, pods);
  const indexes = pods.filter(({ name }) => !toDelete.has(name)).flatMap(({ replicaIndex }) => replicaIndex ?? []);
  return smallestFree(indexes, count).map((index) => ({
    place: { index },
    name: workerName(state, group, { index }, taken),
  }));
}

/** Pods that do not say which place they hold are known by the names that their places give. */
function unnumberedWorkers(
  state: ClusterState,
  group: WorkerGroupSpec,
  count: number,
  toDelete: ReadonlySet<string>,
  present: ReadonlySet<string>,
): readonly NewWorker[] {
  const workers: NewWorker[] = [];
  for (let index = 0; workers.length < count; index += 1) {
    // Whichever of them went last, it is remembered as the first.
    const name = workerName(state, group, { index }, toDelete, { index: 0 });
    if (!present.has(name)) workers.push({ place: { index }, name });
  }
  return workers;
}

function suspendGroup(
  state: ClusterState,
  { groupName }: WorkerGroupSpec,
  pods: readonly PodRecord[],
): readonly Action[] {
  const told = `suspended worker group ${groupName} in RayCluster ${fullName(state, state.name)}`;
  const done = normal(RayClusterEventReason.DeletedWorkerPod, 'Delete', `Deleted all pods for ${told}`);
  if (pods.length === 0 && isSpecNew(state)) return [{ type: 'event', event: done }];
  if (pods.every(({ isTerminating }) => isTerminating)) return [];
  const suspended = `suspended group ${groupName} in RayCluster ${fullName(state, state.name)}`;
  const failed = warning(
    RayClusterEventReason.FailedToDeleteWorkerPodCollection,
    'Delete',
    `Failed deleting worker Pods for ${suspended}`,
  );
  return deletePods(state, pods, { done, failed, failure: 'FailedDeleteWorkerPod' });
}

function isSpecNew({ cluster: { metadata, status } }: ClusterState): boolean {
  return status?.observedGeneration !== metadata?.generation;
}

/** Pods of groups that were taken out of the spec. */
function deleteWorkersOfRemovedGroups(state: ClusterState, groups: readonly WorkerGroupSpec[]): readonly Action[] {
  const known = new Set(groups.map(({ groupName }) => groupName));
  return state.pods
    .filter((pod) => pod.nodeType === NodeType.Worker && !known.has(pod.group) && !pod.isTerminating)
    .flatMap((pod) =>
      deleteWorker(
        state,
        pod,
        `worker Pod ${fullName(state, pod.name)} of worker group ${pod.group}, which is no longer in the spec`,
      ),
    );
}
