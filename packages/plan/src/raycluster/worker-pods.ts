import {
  hostsPerReplica,
  isAutoscalingEnabled,
  podNames,
  RayClusterEventReason,
  type WorkerGroupSpec,
} from '@manta/api';
import type { ReplicaPlace } from '../build/pod-labels.ts';
import { atPlace, buildWorkerPod } from '../build/worker-pod.ts';
import { deleteOwn } from '../ownership.ts';
import { type Action, type CreateAction, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import { derivedPodName } from './derived-names.ts';
import { forScheduler } from './gang.ts';
import { specForPods } from './object-name.ts';
import type { PodRecord } from './observed.ts';

/** With the autoscaler enabled only Ray knows which worker is idle; an installation may allow random deletion. */
export function mayChooseVictims({ spec, context }: ClusterState): boolean {
  return !isAutoscalingEnabled(spec) || context.env.randomPodDelete;
}

/** Maximum number of pods of one group, and of all groups, that one reconcile creates. */
const MOST_OF_A_GROUP = 1000;
const MOST_OF_ALL = 4000;

/** Maximum number of pods of each group that this reconcile creates; the others follow when the cache shows these. */
export function mostAtOnce({ spec }: ClusterState): number {
  const share = Math.floor(MOST_OF_ALL / Math.max(1, spec.workerGroupSpecs?.length ?? 0));
  return Math.min(MOST_OF_A_GROUP, Math.max(1, share));
}

/** Whether each worker has a label with its place. */
export function areWorkersNumbered({ context }: ClusterState): boolean {
  return context.gates.RayMultiHostIndexing;
}

/** Names that a new worker of the group must not get: those of existing, doomed and former pods, also from places of another `numOfHosts`. */
export function takenNames(
  { lastHolders }: ClusterState,
  { groupName, scaleStrategy }: WorkerGroupSpec,
  present: readonly Pick<PodRecord, 'name'>[],
): ReadonlySet<string> {
  const gone = [...lastHolders].flatMap(([place, { name }]) => (place.startsWith(`${groupName}/`) ? [name] : []));
  return new Set([...(scaleStrategy?.workersToDelete ?? []), ...present.map(({ name }) => name), ...gone]);
}

/**
 * The name of the new pod in a place; never one of `taken`. It depends on the number of the pod in its group, not on replica and host: two
 * operators that see different values of `numOfHosts` derive the same names, and together create no more pods than one of them asks for.
 */
export function workerName(
  { uid, name, lastHolders }: ClusterState,
  group: WorkerGroupSpec,
  place: ReplicaPlace,
  taken: ReadonlySet<string>,
  holderOf: ReplicaPlace = place,
): string {
  const { groupName } = group;
  const predecessor = lastHolders.get(`${groupName}/${placeName(holderOf)}`)?.uid;
  const identity = { clusterUid: uid, group: groupName, place: String(numberOf(group, place)), predecessor };
  return derivedPodName(podNames.workerPrefix(name, groupName), identity, taken);
}

/** The pod's number in its group. */
function numberOf(group: WorkerGroupSpec, { index, host }: ReplicaPlace): number {
  return host === undefined ? index : index * hostsPerReplica(group) + host.index;
}

/** The place and the name of a new worker. */
export interface NewWorker {
  readonly place: ReplicaPlace;
  readonly name: string;
}

export function createWorkers(
  state: ClusterState,
  group: WorkerGroupSpec,
  workers: readonly NewWorker[],
): CreateAction {
  const { cluster, context, name } = state;
  const isNumbered = areWorkersNumbered(state);
  const mark = forScheduler(state, group.groupName);
  // Built once: the pods differ in place and name only, and a group may have thousands of them.
  const worker = mark(buildWorkerPod(cluster, specForPods(state), group, context));
  const objects = workers.map(({ place, name: newName }) => {
    const pod = isNumbered ? atPlace(worker, place) : worker;
    return { ...pod, metadata: { ...pod.metadata, name: newName } };
  });
  return {
    type: 'create',
    kind: 'Pod',
    objects,
    whenExists: 'fine-if-ours',
    done: normal(RayClusterEventReason.CreatedWorkerPod, 'Create', `Created worker Pod ${fullName(state, '%n')}`),
    failed: warning(
      RayClusterEventReason.FailedToCreateWorkerPod,
      'Create',
      `Failed to create worker Pod for the cluster ${fullName(state, name)}`,
    ),
    failure: 'FailedCreateWorkerPod',
    group: group.groupName,
    continueOnFailure: true,
  };
}

/** Key of a place among the last holders. */
export function placeName({ index, host }: ReplicaPlace): string {
  return host === undefined ? String(index) : `${index}.${host.index}`;
}

/** Deletes a worker; `description` completes "Deleted …" and "Failed deleting …". */
export function deleteWorker({ uid }: ClusterState, pod: PodRecord, description: string): readonly Action[] {
  return deleteOwn(uid, 'Pod', pod, {
    done: normal(RayClusterEventReason.DeletedWorkerPod, 'Delete', `Deleted ${description}`),
    failed: warning(RayClusterEventReason.FailedToDeleteWorkerPod, 'Delete', `Failed deleting ${description}`),
    failure: 'FailedDeleteWorkerPod',
    continueOnFailure: true,
  });
}

/** The `count` smallest numbers from 0 on that are not taken. */
export function smallestFree(taken: Iterable<number>, count: number): readonly number[] {
  const used = new Set(taken);
  const free: number[] = [];
  for (let n = 0; free.length < count; n += 1) if (!used.has(n)) free.push(n);
  return free;
}
