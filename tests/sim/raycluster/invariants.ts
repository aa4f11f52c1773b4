import { EnvName, Finalizer, gcsFtDeletionTimeoutSeconds, type RayClusterSpec } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History, Invariant, SimEvent } from '../history.ts';
import {
  addedPods,
  firstOf,
  isCluster,
  isInDoubt,
  isOwnerGoing,
  isPod,
  namedIn,
  namesOf,
  podsOf,
  removedByUs,
  specsOf,
  wanted,
} from './history-queries.ts';
import { isOlder, staysAway } from './ray.ts';
import { DELAY_INVARIANTS } from './delay-invariants.ts';
import { REQUEST_INVARIANTS } from './request-invariants.ts';
import { asCluster, asPod, groupOf, hasFailed, isGoing, isHead, isWorker, ownerOf, placeOf, STORED } from './stage.ts';
import { STATUS_INVARIANTS } from './status-invariants.ts';

/** What must be true after every step, whatever happened before it. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'never two heads': neverTwoHeads,
  'never more workers than anybody asked for': (history) => tooMany(history, refilled),
  'removes no worker that is needed': removesNoneNeeded,
  'with the autoscaler on no sound worker goes that it did not name': onlyNamedGo,
  'what is not ours is left alone': leavesOthersAlone,
  'the spec is left to its user': leavesSpecAlone,
  'Redis is not written to before its cleanup is certain': finalizerFirst,
  'a deletion waits for its cleanup, and for nothing else': cleanedUp,
  'all that is made goes with its cluster': allIsOwned,
  'a suspension that has begun is carried to its end': noneWhileSuspending,
  ...STATUS_INVARIANTS,
  ...REQUEST_INVARIANTS,
  ...DELAY_INVARIANTS,
};

/** The same for instances that elect a leader, as they do in production: nothing excuses a worker too many. */
export const INVARIANTS_OF_ELECTED: typeof INVARIANTS = {
  ...INVARIANTS,
  'never more workers than anybody asked for': (history) => tooMany(history, () => 0),
};

/** A head's name follows from what is stored, so that neither a second try nor a second operator makes a second head. */
function neverTwoHeads(history: History): string | undefined {
  return firstOf(addedPods(history).filter(isHead), (added) => {
    const heads = podsOf(history, ownerOf(added)).filter((pod) => isHead(pod) && !isGoing(pod));
    return heads.length > 1 ? `${heads.length} heads: ${namesOf(heads)}` : undefined;
  });
}

type Excuse = (history: History, pods: readonly StoredObject[], isMeant: (pod: StoredObject) => boolean) => number;

function tooMany(history: History, excuse: Excuse): string | undefined {
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
    const allowed = most + excuse(history, pods, isMeant);
    return pods.length > allowed ? `${pods.length} of group ${group} where ${most} is the most` : undefined;
  });
}

/**
 * How many places two instances at once, or one that did not hear of what it did before, may have filled twice. Only a place whose holder
 * is gone can be: the name of the next follows from him, and not everybody has seen him. Until then it has one name.
 */
function refilled(history: History, pods: readonly StoredObject[], isMeant: (pod: StoredObject) => boolean): number {
  if (!isInDoubt(history)) return 0;
  const gone = history.events.filter(({ type, key, object }) => isPod(key) && type === 'DELETED' && isMeant(object));
  const holders = Map.groupBy(
    gone.map(({ object }) => object),
    placeOf,
  );
  return [...Map.groupBy(pods, placeOf)]
    .map(([place, here]) => Math.min(here.length - 1, holders.get(place)?.length ?? 0))
    .reduce((sum, twice) => sum + twice, 0);
}

/** As long as nobody else removes workers, no sound one goes that would be missed even by the smallest spec so far. */
function removesNoneNeeded(history: History): string | undefined {
  return firstOf(removedByUs(history).filter(isWorker), (removed) => {
    const owner = ownerOf(removed);
    const group = groupOf(removed);
    const specs = specsOf(history, owner);
    const named = namedIn(specs);
    if (hasFailed(removed) || named.has(removed.metadata.name) || isLost(history, removed)) return undefined;
    if (mayGoAsAWhole(specs, group) || isOwnerGoing(history, owner)) return undefined;
    const isMeant = (pod: StoredObject) => isWorker(pod) && ownerOf(pod) === owner && groupOf(pod) === group;
    const othersDid = history.events.some(
      (event) => isPod(event.key) && event.type !== 'ADDED' && isMeant(event.object) && isNotOurDoing(event),
    );
    const left = podsOf(history, owner).filter((pod) => isMeant(pod) && !isGoing(pod)).length;
    const least = Math.min(...specs.map((spec) => wanted(spec, group))) - named.size;
    return !othersDid && left < least ? `${left} of group ${group} left where ${least} is the least` : undefined;
  });
}

/** A pod that failed by itself, or that somebody else sent away. What becomes of it afterwards is its kubelet's doing. */
function isNotOurDoing({ by, type, object, before }: SimEvent): boolean {
  if (before !== undefined && isGoing(before)) return false;
  return hasFailed(object) || (by !== 'operator' && (type === 'DELETED' || isGoing(object)));
}

function onlyNamedGo(history: History): string | undefined {
  return firstOf(removedByUs(history).filter(isWorker), (removed) => {
    const owner = ownerOf(removed);
    const specs = specsOf(history, owner);
    const isAutoscaled = specs.length > 0 && specs.every(({ enableInTreeAutoscaling }) => enableInTreeAutoscaling);
    const isExcused =
      hasFailed(removed) ||
      isLost(history, removed) ||
      mayGoAsAWhole(specs, groupOf(removed)) ||
      isOwnerGoing(history, owner);
    const isNamed = namedIn(specs).has(removed.metadata.name);
    return isAutoscaled && !isExcused && !isNamed ? `${removed.metadata.name} was removed` : undefined;
  });
}

/** It does not find the head that came after it. */
function isLost(history: History, worker: StoredObject): boolean {
  const heads = podsOf(history, ownerOf(worker)).filter(isHead);
  return staysAway(worker) && heads.some((head) => isOlder(worker, head));
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
    found.some((each) => each === undefined || each.numOfHosts !== 1 || each.suspend === true)
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

function finalizerFirst(history: History): string | undefined {
  return firstOf(addedPods(history).filter(writesToRedis), (pod) => {
    const owner = ownerOf(pod);
    const wasSafe = history.events.some(
      ({ key, object }) =>
        isCluster(key) &&
        object.metadata.uid === owner &&
        object.metadata.finalizers?.includes(Finalizer.GcsFtRedisCleanup),
    );
    return wasSafe ? undefined : `${pod.metadata.name} was made`;
  });
}

function writesToRedis(pod: StoredObject): boolean {
  const { containers = [] } = asPod(pod).spec ?? {};
  return isHead(pod) && containers.some(({ env = [] }) => env.some(({ name }) => name === EnvName.RayRedisAddress));
}

/** Cleanup ends when its Job has, when its time is over, or when the spec no longer says, in a form that is valid, what to clean. */
function cleanedUp(history: History): string | undefined {
  const released = history.fresh.filter(
    ({ key, by, type, object, before }) =>
      isCluster(key) &&
      by === 'operator' &&
      before !== undefined &&
      hasCleanup(before) &&
      (type === 'DELETED' || !hasCleanup(object)),
  );
  return firstOf(released, ({ object, before, at }) => {
    const { deletionTimestamp, annotations, uid, name } = object.metadata;
    if (before === undefined || deletionTimestamp === undefined) return `${name} was released before it was deleted`;
    const hasEndedJob = history.events.some(
      ({ key, object: job }) => key.resource === STORED.jobs && ownerOf(job) === uid && isFinished(job),
    );
    const isOver = at >= Date.parse(deletionTimestamp) + 1000 * gcsFtDeletionTimeoutSeconds(annotations);
    // Whatever else is wrong with it: as long as it says where its state is, that is cleaned.
    const { backend, redisAddress } = asCluster(before).spec?.gcsFaultToleranceOptions ?? {};
    const isClear = redisAddress !== undefined && backend !== 'rocksdb';
    return hasEndedJob || isOver || !isClear ? undefined : `${name} was released`;
  });
}

function hasCleanup({ metadata }: StoredObject): boolean {
  return metadata.finalizers?.includes(Finalizer.GcsFtRedisCleanup) === true;
}

function isFinished(job: StoredObject): boolean {
  const { conditions = [] } = (job['status'] ?? {}) as { readonly conditions?: readonly { readonly type: string }[] };
  return conditions.some(({ type }) => type === 'Complete' || type === 'Failed');
}

/** Claims may be kept on purpose. */
const UNOWNED = ['/events', 'coordination.k8s.io/leases', '/persistentvolumeclaims'];

function allIsOwned({ fresh }: History): string | undefined {
  const orphan = fresh.find(
    ({ key, by, type, object }) =>
      type === 'ADDED' && by === 'operator' && !UNOWNED.includes(key.resource) && ownerOf(object) === undefined,
  );
  return orphan === undefined ? undefined : `${orphan.key.resource} ${orphan.key.name} has no owner`;
}

/** Only who does not know of it, or of the state before, makes pods then. */
function noneWhileSuspending(history: History): string | undefined {
  if (isInDoubt(history)) return undefined;
  return firstOf(addedPods(history), (pod) => {
    const cluster = history.list(STORED.clusters).find(({ metadata }) => metadata.uid === ownerOf(pod));
    const { conditions = [] } = (cluster === undefined ? undefined : asCluster(cluster).status) ?? {};
    const isSuspending = conditions.some(({ type, status }) => type === 'RayClusterSuspending' && status === 'True');
    return isSuspending ? `${pod.metadata.name} was made` : undefined;
  });
}
