import { desiredPods, type RayClusterSpec } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History, SimEvent } from '../history.ts';
import { asCluster, isGoing, ownerOf, STORED } from './stage.ts';

/** The first problem that any of them has. */
export function firstOf<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function isPod({ resource }: SimEvent['key']): boolean {
  return resource === STORED.pods;
}

export function isCluster({ resource }: SimEvent['key']): boolean {
  return resource === STORED.clusters;
}

/** Pods that came since the last look and are those of a cluster. */
export function addedPods({ fresh }: History): readonly StoredObject[] {
  return fresh
    .filter(({ key, type, object }) => isPod(key) && type === 'ADDED' && ownerOf(object) !== undefined)
    .map(({ object }) => object);
}

/** Pods that the operator has sent away since the last look, as they were before. */
export function removedByUs({ fresh }: History): readonly StoredObject[] {
  return fresh.flatMap(({ key, type, by, object, before }) => {
    if (!isPod(key) || by !== 'operator' || before === undefined || isGoing(before)) return [];
    return type === 'DELETED' || isGoing(object) ? [before] : [];
  });
}

export function podsOf(history: History, owner: string | undefined): readonly StoredObject[] {
  return history.list(STORED.pods).filter((pod) => ownerOf(pod) === owner);
}

/** Every spec that a cluster ever had. */
export function specsOf({ events }: History, owner: string | undefined): readonly RayClusterSpec[] {
  const specs: RayClusterSpec[] = [];
  let generation: number | undefined;
  for (const { key, object } of events) {
    if (!isCluster(key) || object.metadata.uid !== owner || object.metadata.generation === generation) continue;
    generation = object.metadata.generation;
    const { spec } = asCluster(object);
    if (spec !== undefined) specs.push(spec);
  }
  return specs;
}

export function isOwnerGoing(history: History, owner: string | undefined): boolean {
  const found = history.list(STORED.clusters).find(({ metadata }) => metadata.uid === owner);
  return found === undefined || isGoing(found);
}

/** Workers that the autoscaler has named at any time. */
export function namedIn(specs: readonly RayClusterSpec[]): ReadonlySet<string> {
  return new Set(
    specs.flatMap(({ workerGroupSpecs = [] }) =>
      workerGroupSpecs.flatMap(({ scaleStrategy }) => scaleStrategy?.workersToDelete ?? []),
    ),
  );
}

export function wanted({ workerGroupSpecs = [] }: RayClusterSpec, group: string): number {
  const found = workerGroupSpecs.find(({ groupName }) => groupName === group);
  return found === undefined ? 0 : desiredPods(found);
}

export function namesOf(objects: readonly StoredObject[]): string {
  return objects.map(({ metadata }) => metadata.name).join(', ');
}

/** Whether the operator may have acted without knowing what it or another instance had done. */
export function isInDoubt({ facts: { doubtfulWrites, staleReads, overlaps } }: History): boolean {
  return doubtfulWrites + staleReads + overlaps > 0;
}
