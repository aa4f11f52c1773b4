import { millis, type Pod, type Taint, timestamp } from '@manta/api';
import { type Cluster, joinKey, nameOf, readAll, readOne, type Stored, splitKey } from '../framework/cluster.ts';
import type { Controller, RequeueAfter } from '../framework/controller.ts';
import { createEventRecorder, type RecordEvent } from '../framework/event-recorder.ts';
import { nodes, pods } from '../framework/kinds.ts';
import { hasPodEnded } from '@manta/apiserver';
import { isNotFound } from '../framework/refusal.ts';
import { tolerates } from '../scheduler/node-fit.ts';

/** Evicts pods from nodes with NoExecute taints after their tolerationSeconds, and deletes pods of nodes that no longer exist. */
export function podEviction(cluster: Cluster): Controller {
  const record = createEventRecorder(cluster, 'taint-eviction-controller');
  const gone = new Set<string>();
  return {
    name: 'pod-eviction',
    watches: [nameOf(nodes), nameOf(pods)],
    keysOf: ({ key, type }) => {
      if (key.resource === nameOf(pods)) return [joinKey(key.namespace, key.name)];
      if (type === 'DELETED') gone.add(key.name);
      else gone.delete(key.name);
      return readAll(cluster.store, pods)
        .filter(({ spec }) => spec?.nodeName === key.name)
        .map(({ metadata }) => joinKey(metadata.namespace ?? '', metadata.name));
    },
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const pod = readOne(cluster.store, pods, namespace, name);
      const nodeName = pod?.spec?.nodeName;
      if (pod === undefined || nodeName === undefined) return undefined;
      if (gone.has(nodeName)) return await removeLost(cluster, pod);
      const taints = readOne(cluster.store, nodes, '', nodeName)?.spec?.taints ?? [];
      return await evict(
        cluster,
        record,
        pod,
        taints.filter(({ effect }) => effect === 'NoExecute'),
      );
    },
  };
}

/** Pods of a deleted node have no kubelet that ends them. Nodes that never existed do not count: scripted pods may run there. */
async function removeLost(cluster: Cluster, pod: Stored<Pod>): Promise<undefined> {
  if (!hasPodEnded(pod)) {
    await disrupt(cluster, pod, 'DeletionByPodGC', 'PodGC: node no longer exists', { phase: 'Failed' });
  }
  await remove(cluster, pod, { gracePeriodSeconds: 0 });
}

async function evict(
  cluster: Cluster,
  record: RecordEvent,
  pod: Stored<Pod>,
  taints: readonly Taint[],
): Promise<RequeueAfter | undefined> {
  if (taints.length === 0 || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const now = cluster.world.clock.now();
  const dueAt = Math.min(...taints.map((taint) => endOfPatience(pod, taint, now)));
  if (dueAt === Number.POSITIVE_INFINITY) return undefined;
  if (dueAt > now) return { afterMs: dueAt - now };
  const { namespace = '', name } = pod.metadata;
  await record(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`);
  await disrupt(cluster, pod, 'DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint');
  await remove(cluster, pod);
  return undefined;
}

/** When a pod has to go because of a taint: at once where it does not tolerate it, never where it does without limit. */
function endOfPatience({ spec }: Pod, taint: Taint, nowMs: number): number {
  const matching = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
  if (matching.length === 0) return nowMs;
  const limits = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  if (limits.length === 0) return Number.POSITIVE_INFINITY;
  return (millis(taint.timeAdded) ?? nowMs) + Math.max(0, Math.min(...limits)) * 1000;
}

async function disrupt(
  cluster: Cluster,
  pod: Stored<Pod>,
  reason: string,
  message: string,
  more: object = {},
): Promise<void> {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
  const lastTransitionTime = timestamp(cluster.world.clock.now());
  const target = { type: 'DisruptionTarget', status: 'True', reason, message, lastTransitionTime };
  const body = { status: { ...more, conditions: [...others, target] } };
  await cluster.writes.patch(pods, pod.metadata, { type: 'merge', body }, { subresource: 'status' });
}

async function remove(
  { writes }: Cluster,
  { metadata }: Stored<Pod>,
  how: { gracePeriodSeconds?: number } = {},
): Promise<void> {
  try {
    await writes.delete(pods, metadata, { ...how, preconditions: { uid: metadata.uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
