import { desiredPods, Finalizer, type RayClusterSpec } from '@manta/api';
import type { StoredObject } from '@manta/engine';
import type { History, Invariant, SimEvent } from '../history.ts';
import { isReady } from './environment.ts';
import { asCluster, groupOf, hasEnded, isGoing, isHead, isWorker, ownerOf, STORED } from './stage.ts';

/** What must be true after every step, whatever happened before it. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'never two heads': neverTwoHeads,
  'never more workers than anybody asked for': neverTooMany,
  'removes no worker that is needed': removesNoneNeeded,
  'with the autoscaler on no sound worker goes that it did not name': onlyNamedGo,
  'what is not ours is left alone': leavesOthersAlone,
  'the spec is left to its user': leavesSpecAlone,
  'status tells of no ready worker that never was': statusIsTrue,
  'Redis is not written to before its cleanup is certain': finalizerFirst,
};

/**
 * Names are derived, so that a second try makes no second pod. Only where a place became free between the two tries may the second
 * choose another name, and then only if the first was in doubt.
 */
function neverTwoHeads(history: History): string | undefined {
  return firstOf(addedPods(history).filter(isHead), (added) => {
    const owner = ownerOf(added);
    const heads = podsOf(history, owner).filter((pod) => isHead(pod) && !isGoing(pod));
    return heads.length > 1 + excused(history, (pod) => isHead(pod) && ownerOf(pod) === owner)
      ? `${heads.length} heads: ${namesOf(heads)}`
      : undefined;
  });
}

function neverTooMany(history: History): string | undefined {
  return firstOf(addedPods(history).filter(isWorker), (added) => {
    const owner = ownerOf(added);
    const group = groupOf(added);
    const specs = specsOf(history, owner);
    const named = namedIn(specs);
    const isMeant = (pod: StoredObject) =>
      isWorker(pod) && groupOf(pod) === group && ownerOf(pod) === owner && !named.has(pod.metadata.name);
    // Those that are going are still there: their room is not free yet.
    const pods = history.list(STORED.pods).filter(isMeant);
    const most = Math.max(0, ...specs.map((spec) => wanted(spec, group)));
    const allowed = most + excused(history, isMeant);
    return pods.length > allowed ? `${pods.length} of group ${group} where ${most} is the most` : undefined;
  });
}

/** How many pods a correct operator may have made twice: it did not hear of the first, and the place was free once more. */
function excused(history: History, isMeant: (pod: StoredObject) => boolean): number {
  const { doubtfulWrites, staleReads, overlaps } = history.facts;
  if (doubtfulWrites + staleReads + overlaps === 0) return 0;
  return history.events.filter(({ type, key, object }) => isPod(key) && type === 'DELETED' && isMeant(object)).length;
}

/** As long as nobody else removes workers, no sound one goes that would be missed even by the smallest spec so far. */
function removesNoneNeeded(history: History): string | undefined {
  return firstOf(removedByUs(history).filter(isWorker), (removed) => {
    const owner = ownerOf(removed);
    const group = groupOf(removed);
    const specs = specsOf(history, owner);
    const named = namedIn(specs);
    if (hasEnded(removed) || named.has(removed.metadata.name)) return undefined;
    if (mayGoAsAWhole(specs, group) || isOwnerGoing(history, owner)) return undefined;
    const isMeant = (pod: StoredObject) => isWorker(pod) && ownerOf(pod) === owner && groupOf(pod) === group;
    const othersDid = history.events.some(
      ({ key, by, type, object }) => isPod(key) && type !== 'ADDED' && isMeant(object) && wentBy(by, object),
    );
    const left = podsOf(history, owner).filter((pod) => isMeant(pod) && !isGoing(pod)).length;
    const least = Math.min(...specs.map((spec) => wanted(spec, group))) - named.size;
    return !othersDid && left < least ? `${left} of group ${group} left where ${least} is the least` : undefined;
  });
}

function wentBy(by: string, object: StoredObject): boolean {
  return hasEnded(object) || (by !== 'operator' && isGoing(object));
}

function onlyNamedGo(history: History): string | undefined {
  return firstOf(removedByUs(history).filter(isWorker), (removed) => {
    const owner = ownerOf(removed);
    const specs = specsOf(history, owner);
    const isAutoscaled = specs.length > 0 && specs.every(({ enableInTreeAutoscaling }) => enableInTreeAutoscaling);
    const isExcused = hasEnded(removed) || mayGoAsAWhole(specs, groupOf(removed)) || isOwnerGoing(history, owner);
    const isNamed = namedIn(specs).has(removed.metadata.name);
    return isAutoscaled && !isExcused && !isNamed ? `${removed.metadata.name} was removed` : undefined;
  });
}

/** Suspension, Recreate, removal of the group, and replicas of several hosts take pods along that nobody named. */
function mayGoAsAWhole(specs: readonly RayClusterSpec[], group: string): boolean {
  const images = new Set(specs.map(({ headGroupSpec }) => JSON.stringify(headGroupSpec.template)));
  const found = specs.map(({ workerGroupSpecs = [] }) => workerGroupSpecs.find(({ groupName }) => groupName === group));
  return (
    specs.some(({ suspend }) => suspend === true) ||
    // A change of the groups' list is one of the spec too.
    (specs.some(({ upgradeStrategy }) => upgradeStrategy?.type === 'Recreate') &&
      (images.size > 1 || specs.length > 1)) ||
    found.some((each) => each === undefined || each.numOfHosts !== 1)
  );
}

function leavesOthersAlone(history: History): string | undefined {
  const wrong = history.fresh.find(
    ({ key, by, type, object }) => isPod(key) && by === 'operator' && type !== 'ADDED' && ownerOf(object) === undefined,
  );
  return wrong === undefined ? undefined : `${wrong.type} ${wrong.key.name}`;
}

function leavesSpecAlone(history: History): string | undefined {
  const wrong = history.fresh.find(
    ({ key, by, object, before }) =>
      key.resource === STORED.clusters &&
      by === 'operator' &&
      before !== undefined &&
      JSON.stringify(before['spec']) !== JSON.stringify(object['spec']),
  );
  return wrong === undefined ? undefined : `the spec of ${wrong.key.name} was changed`;
}

/** At some moment up to now there were as many ready workers as the status says. */
function statusIsTrue(history: History): string | undefined {
  return firstOf(
    history.fresh.filter(({ key, by }) => key.resource === STORED.clusters && by === 'operator'),
    ({ object, before }) => {
      const told = asCluster(object).status?.readyWorkerReplicas ?? 0;
      if (told === 0 || (before !== undefined && told === asCluster(before).status?.readyWorkerReplicas))
        return undefined;
      const most = mostReady(history.events, object.metadata.uid);
      return told > most ? `${told} ready workers of ${object.metadata.name} where there were ${most}` : undefined;
    },
  );
}

function mostReady(events: readonly SimEvent[], owner: string): number {
  const ready = new Set<string>();
  let most = 0;
  for (const { key, type, object } of events) {
    if (!isPod(key) || !isWorker(object) || ownerOf(object) !== owner) continue;
    if (type !== 'DELETED' && isReady(object)) ready.add(object.metadata.uid);
    else ready.delete(object.metadata.uid);
    most = Math.max(most, ready.size);
  }
  return most;
}

function finalizerFirst(history: History): string | undefined {
  return firstOf(addedPods(history), (pod) => {
    const owner = ownerOf(pod);
    const states = history.events.filter(({ key, object }) => isCluster(key) && object.metadata.uid === owner);
    if (
      states.at(-1) === undefined ||
      specsOf(history, owner).every((spec) => spec.gcsFaultToleranceOptions === undefined)
    )
      return undefined;
    const wasSafe = states.some(({ object }) => object.metadata.finalizers?.includes(Finalizer.GcsFtRedisCleanup));
    return wasSafe ? undefined : `${pod.metadata.name} was made`;
  });
}

function firstOf<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isPod({ resource }: SimEvent['key']): boolean {
  return resource === STORED.pods;
}

function isCluster({ resource }: SimEvent['key']): boolean {
  return resource === STORED.clusters;
}

/** Pods that came since the last look and are those of a cluster. */
function addedPods({ fresh }: History): readonly StoredObject[] {
  return fresh
    .filter(({ key, type, object }) => isPod(key) && type === 'ADDED' && ownerOf(object) !== undefined)
    .map(({ object }) => object);
}

/** Pods that the operator has sent away since the last look, as they were before. */
function removedByUs({ fresh }: History): readonly StoredObject[] {
  return fresh.flatMap(({ key, type, by, object, before }) => {
    if (!isPod(key) || by !== 'operator' || before === undefined || isGoing(before)) return [];
    return type === 'DELETED' || isGoing(object) ? [before] : [];
  });
}

function podsOf(history: History, owner: string | undefined): readonly StoredObject[] {
  return history.list(STORED.pods).filter((pod) => ownerOf(pod) === owner);
}

/** Every spec that a cluster ever had. */
function specsOf(history: History, owner: string | undefined): readonly RayClusterSpec[] {
  const specs = history.events.flatMap(({ key, object }) =>
    isCluster(key) && object.metadata.uid === owner ? (asCluster(object).spec ?? []) : [],
  );
  return specs.filter((spec, at) => at === 0 || JSON.stringify(spec) !== JSON.stringify(specs[at - 1]));
}

function isOwnerGoing(history: History, owner: string | undefined): boolean {
  const found = history.list(STORED.clusters).find(({ metadata }) => metadata.uid === owner);
  return found === undefined || isGoing(found);
}

/** Workers that the autoscaler has named at any time. */
function namedIn(specs: readonly RayClusterSpec[]): ReadonlySet<string> {
  return new Set(
    specs.flatMap(({ workerGroupSpecs = [] }) =>
      workerGroupSpecs.flatMap(({ scaleStrategy }) => scaleStrategy?.workersToDelete ?? []),
    ),
  );
}

function wanted({ workerGroupSpecs = [] }: RayClusterSpec, group: string): number {
  const found = workerGroupSpecs.find(({ groupName }) => groupName === group);
  return found === undefined ? 0 : desiredPods(found);
}

function namesOf(objects: readonly StoredObject[]): string {
  return objects.map(({ metadata }) => metadata.name).join(', ');
}
