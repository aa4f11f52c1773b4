import { desiredPods, hostsPerReplica, NodeType, RayClusterEventReason, type WorkerGroupSpec } from '@manta/api';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { permitted } from './create-hold.ts';
import { deletePods } from './delete-pods.ts';
import { planMultiHostGroup } from './multi-host.ts';
import type { PodRecord } from './observed.ts';
import { smallestFree } from './smallest-free.ts';
import type { Subject } from './subject.ts';
import { describeState, whyDelete } from './unhealthy.ts';
import {
  areWorkersNumbered,
  createWorkers,
  deleteWorker,
  mayChooseVictims,
  mostAtOnce,
  type NewWorker,
  takenNames,
  workerName,
} from './worker-actions.ts';

/** Every worker group in the order of the spec, then what is left of groups that the spec no longer has. */
export function planWorkers(subject: Subject): readonly Action[] {
  const groups = subject.spec.workerGroupSpecs ?? [];
  return [...groups.flatMap((group) => planGroup(subject, group)), ...removeLostGroups(subject, groups)];
}

function planGroup(subject: Subject, group: WorkerGroupSpec): readonly Action[] {
  const pods = subject.pods.filter((pod) => pod.group === group.groupName && pod.nodeType !== NodeType.Head);
  if (group.suspend === true) return suspendGroup(subject, group, pods);
  if (areWorkersNumbered(subject) && hostsPerReplica(group) > 1) return planMultiHostGroup(subject, group, pods);
  return planSingleHostGroup(subject, group, pods);
}

function planSingleHostGroup(subject: Subject, group: WorkerGroupSpec, pods: readonly PodRecord[]): readonly Action[] {
  const unhealthy = pods.filter((pod) => whyDelete(pod, subject.context.env) !== undefined);
  // Their places are filled in the next pass, when they are seen to be gone: never more pods than were asked for.
  if (unhealthy.length > 0) {
    return unhealthy.flatMap((pod) =>
      deleteWorker(subject, pod, `worker Pod ${fullName(subject, pod.name)}; ${describeState(pod)}`),
    );
  }
  const named = new Set(group.scaleStrategy?.workersToDelete ?? []);
  const asked = pods.filter((pod) => named.has(pod.name));
  const remaining = pods.filter((pod) => !named.has(pod.name));
  const missing = desiredPods(group) - remaining.length;
  const { count, actions } = permitted(subject, group.groupName, missing);
  return [
    ...asked
      .filter((pod) => !pod.isTerminating)
      .flatMap((pod) => deleteWorker(subject, pod, `pod ${fullName(subject, pod.name)}`)),
    ...actions,
    ...(count > 0 ? [createWorkers(subject, group, newWorkers(subject, group, pods, count))] : []),
    ...(missing < 0 && mayChooseVictims(subject)
      ? victims(remaining, -missing).flatMap((pod) => deleteWorker(subject, pod, `Pod ${fullName(subject, pod.name)}`))
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
  subject: Subject,
  group: WorkerGroupSpec,
  pods: readonly PodRecord[],
  missing: number,
): readonly NewWorker[] {
  const count = Math.min(missing, mostAtOnce(subject));
  const toDelete = new Set(group.scaleStrategy?.workersToDelete);
  if (!areWorkersNumbered(subject)) {
    const present = new Set(pods.map(({ name }) => name));
    return unnumberedWorkers(subject, group, count, toDelete, present);
  }
  const taken = takenNames(subject, group, pods);
  const indexes = pods.filter(({ name }) => !toDelete.has(name)).flatMap(({ replicaIndex }) => replicaIndex ?? []);
  return smallestFree(indexes, count).map((index) => ({
    place: { index },
    name: workerName(subject, group, { index }, taken),
  }));
}

/** Pods that do not say which place they hold are known by the names that their places give. */
function unnumberedWorkers(
  subject: Subject,
  group: WorkerGroupSpec,
  count: number,
  toDelete: ReadonlySet<string>,
  present: ReadonlySet<string>,
): readonly NewWorker[] {
  const workers: NewWorker[] = [];
  for (let index = 0; workers.length < count; index += 1) {
    // Whichever of them went last, it is remembered as the first.
    const name = workerName(subject, group, { index }, toDelete, { index: 0 });
    if (!present.has(name)) workers.push({ place: { index }, name });
  }
  return workers;
}

function suspendGroup(subject: Subject, { groupName }: WorkerGroupSpec, pods: readonly PodRecord[]): readonly Action[] {
  const told = `suspended worker group ${groupName} in RayCluster ${fullName(subject, subject.name)}`;
  const done = normal(RayClusterEventReason.DeletedWorkerPod, 'Delete', `Deleted all pods for ${told}`);
  if (pods.length === 0 && isSpecNew(subject)) return [{ type: 'event', event: done }];
  if (pods.every(({ isTerminating }) => isTerminating)) return [];
  const suspended = `suspended group ${groupName} in RayCluster ${fullName(subject, subject.name)}`;
  const failed = warning(
    RayClusterEventReason.FailedToDeleteWorkerPodCollection,
    'Delete',
    `Failed deleting worker Pods for ${suspended}`,
  );
  return deletePods(subject, pods, { done, failed, failure: 'FailedDeleteWorkerPod' });
}

function isSpecNew({ cluster: { metadata, status } }: Subject): boolean {
  return status?.observedGeneration !== metadata?.generation;
}

/** Pods of groups that were taken out of the spec. */
function removeLostGroups(subject: Subject, groups: readonly WorkerGroupSpec[]): readonly Action[] {
  const known = new Set(groups.map(({ groupName }) => groupName));
  return subject.pods
    .filter((pod) => pod.nodeType === NodeType.Worker && !known.has(pod.group) && !pod.isTerminating)
    .flatMap((pod) =>
      deleteWorker(
        subject,
        pod,
        `worker Pod ${fullName(subject, pod.name)} of worker group ${pod.group}, which is no longer in the spec`,
      ),
    );
}
