import { desiredReplicas, hostsPerReplica, podNames, type WorkerGroupSpec } from '@manta/api';
import type { ReplicaPlace } from '../build/pod-labels.ts';
import type { Action } from '../plan.ts';
import type { PodRecord } from './observed.ts';
import { derivedSuffix } from './pod-names.ts';
import { smallestFree } from './smallest-free.ts';
import { fullName, type Subject } from './subject.ts';
import { whyDelete } from './unhealthy.ts';
import { createWorkers, deleteWorker, mayChooseVictims } from './worker-actions.ts';

/** The pods that make one replica: they come and go together, because half of them are of no use. */
interface Replica {
  readonly name: string;
  readonly index: number;
  readonly pods: readonly PodRecord[];
}

/** A group whose replicas consist of several pods. */
export function planMultiHostGroup(
  subject: Subject,
  group: WorkerGroupSpec,
  pods: readonly PodRecord[],
): readonly Action[] {
  const hosts = hostsPerReplica(group);
  const replicas = replicasOf(pods);
  const named = new Set(group.scaleStrategy?.workersToDelete ?? []);
  const verdicts = replicas.map((replica) => ({ replica, why: whyRemove(replica, hosts, named) }));
  const leaving = verdicts.flatMap(({ replica, why }) =>
    why === undefined ? [] : removeReplica(subject, group, replica, why),
  );
  // One thing at a time: what is leaving keeps its place until it is seen to be gone.
  if (leaving.length > 0) return leaving;
  const staying = verdicts.filter(({ why }) => why === undefined).map(({ replica }) => replica);
  const missing = desiredReplicas(group) - staying.length;
  if (missing > 0) return [createWorkers(subject, group, placesFor(subject, group, replicas, missing), named)];
  if (missing < 0 && mayChooseVictims(subject)) {
    return youngest(staying, -missing).flatMap((replica) => removeReplica(subject, group, replica, 'scaling down'));
  }
  return [];
}

function replicasOf(pods: readonly PodRecord[]): readonly Replica[] {
  const byName = Map.groupBy(pods, ({ replicaName }) => replicaName ?? '');
  return [...byName].map(([name, members]) => ({ name, index: members[0]?.replicaIndex ?? -1, pods: members }));
}

function whyRemove({ name, pods }: Replica, hosts: number, named: ReadonlySet<string>): string | undefined {
  // Pods from before replicas were numbered: they count for nothing Ray could use together.
  if (name === '' || pods.length < hosts) return 'cleanup of incomplete multi-host group';
  const sick = pods.find((pod) => whyDelete(pod) !== undefined);
  if (sick !== undefined) return whyDelete(sick);
  if (pods.some((pod) => named.has(pod.name))) return 'autoscaler scale-down request';
  return pods.some(({ isTerminating }) => isTerminating) ? 'cleanup of incomplete multi-host group' : undefined;
}

function removeReplica(
  subject: Subject,
  { groupName }: WorkerGroupSpec,
  { pods }: Replica,
  why: string,
): readonly Action[] {
  return pods
    .filter(({ isTerminating }) => !isTerminating)
    .map((pod) => deleteWorker(pod, `worker Pod ${fullName(subject, pod.name)} for group ${groupName}: ${why}`));
}

function youngest(replicas: readonly Replica[], count: number): readonly Replica[] {
  return replicas.toSorted((a, b) => b.index - a.index).slice(0, count);
}

function placesFor(
  subject: Subject,
  group: WorkerGroupSpec,
  replicas: readonly Replica[],
  count: number,
): readonly ReplicaPlace[] {
  const { groupName } = group;
  return smallestFree(
    replicas.map(({ index }) => index),
    count,
  ).flatMap((index) => {
    const predecessor = subject.lastHolders.get(`${groupName}/${index}.0`) ?? '';
    const replicaName = podNames.replica(groupName, derivedSuffix(subject.uid, groupName, String(index), predecessor));
    return Array.from({ length: hostsPerReplica(group) }, (_, host) => ({ index, host: { replicaName, index: host } }));
  });
}
