import { desiredReplicas, hostsPerReplica, podNames, RayClusterEventReason, type WorkerGroupSpec } from '@manta/api';
import type { ReplicaPlace } from '../build/pod-labels.ts';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import { allowedCreations } from './create-backoff.ts';
import { derivedSuffix } from './derived-names.ts';
import { type EndedPodRule, reasonToDelete } from './ended-pods.ts';
import type { PodRecord } from './observed.ts';
import {
  createWorkers,
  deleteWorker,
  mayChooseVictims,
  mostAtOnce,
  smallestFree,
  takenNames,
  workerName,
} from './worker-pods.ts';

/** The pods of one replica: they are created and deleted together, because an incomplete replica is useless. */
interface Replica {
  /** Undefined if its pods have no label for it. */
  readonly index: number | undefined;
  readonly pods: readonly PodRecord[];
  /** Duplicate hosts, which two operators at once may have created. */
  readonly surplus: readonly PodRecord[];
  /** Undefined: the replica stays. */
  readonly whyRemove: string | undefined;
}

/** More hosts than this in one replica are a mistake. */
const MAX_HOSTS = 10_000;

/** A group whose replicas consist of several pods. */
export function planMultiHostGroup(
  state: ClusterState,
  group: WorkerGroupSpec,
  pods: readonly PodRecord[],
): readonly Action[] {
  const replicas = replicasOf(pods, group, state.context.env);
  const leaving = replicas.flatMap((replica) =>
    replica.whyRemove === undefined
      ? removePods(state, group, replica.surplus, 'its replica has this host twice')
      : removePods(state, group, [...replica.pods, ...replica.surplus], replica.whyRemove),
  );
  if (leaving.length > 0) return leaving;
  const wanted = desiredReplicas(group);
  // A replica that is being deleted keeps its place until the cache shows its deletion, and is not a candidate for scaling down.
  if (replicas.length < wanted) return createReplicas(state, group, replicas, wanted - replicas.length);
  const staying = replicas.filter((replica) => replica.whyRemove === undefined);
  if (staying.length <= wanted || !mayChooseVictims(state)) return [];
  return youngest(staying, staying.length - wanted).flatMap((replica) =>
    removePods(state, group, [...replica.pods, ...replica.surplus], 'scaling down'),
  );
}

function replicasOf(pods: readonly PodRecord[], group: WorkerGroupSpec, rule: EndedPodRule): readonly Replica[] {
  const hosts = hostsPerReplica(group);
  const named = new Set(group.scaleStrategy?.workersToDelete);
  const replicaOf = (members: readonly PodRecord[]): Replica => {
    const once = eachHostOnce(members);
    const surplus = members.filter((pod) => !once.includes(pod));
    return { index: members[0]?.replicaIndex, pods: once, surplus, whyRemove: whyRemove(once, hosts, named, rule) };
  };
  // A pod with an index and without a replica name was created when replicas had one host.
  const replicaNameOf = ({ replicaName, replicaIndex, name }: PodRecord) =>
    replicaName ?? (replicaIndex === undefined ? undefined : name);
  const byReplica = Map.groupBy(pods, replicaNameOf);
  const unnumbered = byReplica.get(undefined) ?? [];
  byReplica.delete(undefined);
  const isHealthy = (pod: PodRecord) => whyRemove([pod], 1, named, rule) === undefined;
  return [
    ...byReplica.values().map(replicaOf),
    ...inGroupsOf(hosts, unnumbered.toSorted(healthyFirst(isHealthy))).map(replicaOf),
  ];
}

/** Of pods for the same host, the oldest that is not being deleted. */
function eachHostOnce(pods: readonly PodRecord[]): readonly PodRecord[] {
  const rank = (pod: PodRecord) => Number(pod.isTerminating);
  const inOrder = pods.toSorted((a, b) => rank(a) - rank(b) || a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1));
  const first = new Map<number, PodRecord>();
  for (const pod of inOrder)
    if (pod.hostIndex !== undefined && !first.has(pod.hostIndex)) first.set(pod.hostIndex, pod);
  return pods.filter((pod) => pod.hostIndex === undefined || first.get(pod.hostIndex) === pod);
}

/**
 * Pods that were created before replicas had indexes do not name their replica. They stay: any `numOfHosts` of them count as one replica,
 * healthy pods together, so that as few as possible are deleted with an unhealthy one.
 */
function healthyFirst(isHealthy: (pod: PodRecord) => boolean): (a: PodRecord, b: PodRecord) => number {
  return (a, b) =>
    Number(isHealthy(b)) - Number(isHealthy(a)) || a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1);
}

function inGroupsOf<Item>(size: number, items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function whyRemove(
  pods: readonly PodRecord[],
  hosts: number,
  named: ReadonlySet<string>,
  rule: EndedPodRule,
): string | undefined {
  if (pods.length < hosts) return 'cleanup of incomplete multi-host group';
  if (pods.some(({ hostIndex = 0 }) => hostIndex >= hosts)) return `replicas now have ${hosts} hosts`;
  const sick = pods.map((pod) => reasonToDelete(pod, rule)).find((why) => why !== undefined);
  if (sick !== undefined) return sick;
  if (pods.some((pod) => named.has(pod.name))) return 'autoscaler scale-down request';
  return pods.some(({ isTerminating }) => isTerminating) ? 'cleanup of incomplete multi-host group' : undefined;
}

function removePods(
  state: ClusterState,
  { groupName }: WorkerGroupSpec,
  pods: readonly PodRecord[],
  why: string,
): readonly Action[] {
  return pods
    .filter(({ isTerminating }) => !isTerminating)
    .flatMap((pod) =>
      deleteWorker(state, pod, `worker Pod ${fullName(state, pod.name)} for group ${groupName}: ${why}`),
    );
}

function youngest(replicas: readonly Replica[], count: number): readonly Replica[] {
  return replicas.toSorted((a, b) => (b.index ?? -1) - (a.index ?? -1)).slice(0, count);
}

function createReplicas(
  state: ClusterState,
  group: WorkerGroupSpec,
  replicas: readonly Replica[],
  missing: number,
): readonly Action[] {
  const hosts = hostsPerReplica(group);
  if (hosts > MAX_HOSTS) return [tooManyHosts(state, group.groupName, hosts)];
  const hold = allowedCreations(state, group.groupName, missing, hosts);
  if (hold.count <= 0) return hold.actions;
  const count = Math.min(hold.count, Math.max(1, Math.floor(mostAtOnce(state) / hosts)));
  const indexes = replicas.flatMap(({ index }) => index ?? []);
  const present = replicas.flatMap(({ pods, surplus }) => [...pods, ...surplus]);
  const taken = takenNames(state, group, present);
  const places = smallestFree(indexes, count).flatMap((index) => placesOf(state, group, index));
  const workers = places.map((place) => ({ place, name: workerName(state, group, place, taken) }));
  return [...hold.actions, createWorkers(state, group, workers)];
}

function placesOf(state: ClusterState, group: WorkerGroupSpec, index: number): readonly ReplicaPlace[] {
  const { groupName } = group;
  const predecessor = state.lastHolders.get(`${groupName}/${index}.0`)?.uid ?? '';
  const replicaName = podNames.replica(groupName, derivedSuffix(state.uid, groupName, String(index), predecessor));
  return Array.from({ length: hostsPerReplica(group) }, (_, host) => ({ index, host: { replicaName, index: host } }));
}

function tooManyHosts(state: ClusterState, groupName: string, hosts: number): Action {
  const note = `Failed to create worker Pod for the cluster ${fullName(state, state.name)}: numOfHosts of worker group ${groupName} is ${hosts}; at most ${MAX_HOSTS} hosts can make one replica`;
  return { type: 'event', event: warning(RayClusterEventReason.FailedToCreateWorkerPod, 'Create', note) };
}
