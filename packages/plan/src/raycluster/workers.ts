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

/** Every worker group in the order of the spec, then pods of groups that are no longer in the spec. */
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
  // A later reconcile replaces them, when the cache shows their deletion: never more pods than the spec asks for.
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
 * Which pods to delete when scaling down: terminating pods first, then extra hosts from a former `numOfHosts`, then pods that are not
 * ready, then the highest places. Terminating pods count, but are not deleted again.
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

/** Pods without a label for their place are recognised by the name that the place gives. */
function unnumberedWorkers(
  state: ClusterState,
  group: WorkerGroupSpec,
  count: number,
  toDelete: ReadonlySet<string>,
  present: ReadonlySet<string>,
): readonly NewWorker[] {
  const workers: NewWorker[] = [];
  for (let index = 0; workers.length < count; index += 1) {
    // Without place labels the last holder of every place is stored under place 0.
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
  const description = `suspended worker group ${groupName} in RayCluster ${fullName(state, state.name)}`;
  const done = normal(RayClusterEventReason.DeletedWorkerPod, 'Delete', `Deleted all pods for ${description}`);
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

/** Deletes pods of groups that were removed from the spec. */
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
