import { Label, type RayClusterStatus } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History, Invariant, SimEvent } from '../history.ts';
import { firstOf, isCluster, isInDoubt, isPod, podsOf, specsOf, wanted } from './history-queries.ts';
import { asCluster, isHead, isReady, isWorker } from './stage.ts';

/** What a status may say. The cache may be as old as it likes, so that what was true at any time may be told. */
export const STATUS_INVARIANTS: Readonly<Record<string, Invariant>> = {
  'status tells of no ready worker that never was': onStatus((history, { status, object, before }) => {
    const told = status.readyWorkerReplicas ?? 0;
    if (told === 0 || told === before.readyWorkerReplicas) return undefined;
    const most = mostReady(history.events, object);
    return told > most ? `${told} ready workers of ${object.metadata.name} where there were ${most}` : undefined;
  }),
  'status tells of no generation that is not there yet': onStatus((_history, { status, object }) => {
    const { observedGeneration = 0 } = status;
    const { generation = 0 } = object.metadata;
    return observedGeneration > generation ? `${observedGeneration} observed, ${generation} there` : undefined;
  }),
  'status names no head that never was': onStatus((history, { status, object }) => {
    const name = status.head?.podName;
    const isThere = history.events.some(
      ({ key, object: pod }) => isPod(key) && key.name === name && isHead(pod) && isOf(pod, object),
    );
    return name === undefined || isThere ? undefined : name;
  }),
  'a head is told to be ready only after one was': onStatus((history, { status, before, object }) =>
    becomes('HeadPodReady', before, status) && !wasHeadReady(history, object)
      ? `the head of ${object.metadata.name} was never ready`
      : undefined,
  ),
  'a cluster is provisioned only after all its pods were ready': onStatus((history, { status, before, object }) => {
    if (!becomes('RayClusterProvisioned', before, status)) return undefined;
    const { uid, name } = object.metadata;
    const least = Math.min(...specsOf(history, uid).map(workersOf));
    const most = mostReady(history.events, object);
    if (!wasHeadReady(history, object)) return `the head of ${name} was never ready`;
    return most < least ? `${name} never had more than ${most} of ${least} workers ready` : undefined;
  }),
  'a cluster is suspended only when its pods are gone': onStatus((history, { status, before, object }) => {
    if (!becomes('RayClusterSuspended', before, status) || isInDoubt(history)) return undefined;
    const left = podsOf(history, object.metadata.uid);
    return left.length > 0 ? `${left.length} pods of ${object.metadata.name} are there` : undefined;
  }),
};

interface StatusWrite {
  readonly object: StoredObject;
  readonly status: RayClusterStatus;
  readonly before: RayClusterStatus;
}

/** Looks at what the operator has written into the status of clusters. */
function onStatus(check: (history: History, write: StatusWrite) => string | undefined): Invariant {
  return (history) =>
    firstOf(history.fresh, ({ key, by, type, object, before }) => {
      if (!isCluster(key) || by !== 'operator' || type === 'DELETED') return undefined;
      const old = before === undefined ? undefined : asCluster(before).status;
      return check(history, { object, status: asCluster(object).status ?? {}, before: old ?? {} });
    });
}

function becomes(type: string, before: RayClusterStatus, after: RayClusterStatus): boolean {
  const isTrue = ({ conditions = [] }: RayClusterStatus) =>
    conditions.some((condition) => condition.type === type && condition.status === 'True');
  return isTrue(after) && !isTrue(before);
}

function wasHeadReady({ events }: History, cluster: StoredObject): boolean {
  return events.some(({ key, object }) => isPod(key) && isHead(object) && isOf(object, cluster) && isReady(object));
}

/** By name: where a cluster was deleted and made anew, its predecessor's pods count until they are gone. */
function isOf(pod: StoredObject, { metadata }: StoredObject): boolean {
  return pod.metadata.labels?.[Label.Cluster] === metadata.name;
}

function workersOf(spec: Parameters<typeof wanted>[0]): number {
  return (spec.workerGroupSpecs ?? []).reduce((sum, { groupName }) => sum + wanted(spec, groupName), 0);
}

function mostReady(events: readonly SimEvent[], cluster: StoredObject): number {
  const ready = new Set<string>();
  let most = 0;
  for (const { key, type, object } of events) {
    if (!isPod(key) || !isWorker(object) || !isOf(object, cluster)) continue;
    if (type !== 'DELETED' && isReady(object)) ready.add(object.metadata.uid);
    else ready.delete(object.metadata.uid);
    most = Math.max(most, ready.size);
  }
  return most;
}
