import { isConditionTrue, RayServiceConditionType, serviceNames } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History, Invariant, SimEvent } from '../history.ts';
import { capacityOf, headOf, serveOf } from './serve.ts';
import { asRoute, asService, isWanted, NAMESPACE, ownerOf, SERVICE, STORED, STRANGER } from './stage.ts';
import { isAnswered, routeShares, type Shares, sharesNow, wholeShare } from './traffic.ts';

/** What may never happen, whatever else does. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'the shares of a route are a hundred together': onWrite(STORED.routes, (_history, { object }) => {
    const refs = (asRoute(object).spec?.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs);
    const weights = refs.map(({ weight = 1 }) => weight);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return sum === 100 && weights.every((weight) => weight >= 0) ? undefined : `they are ${weights.join(' and ')}`;
  }),
  'traffic is not taken from a cluster that answers for one that does not, as far as one can know': onGain(
    (history, cluster, { at }, { losers }) => {
      const robbed = losers.filter((loser) => notesOf(history).answering.includes(loser));
      const isKnown = lastAnswer(history, cluster) >= at - KNOWLEDGE_MS;
      return isKnown || robbed.length === 0 ? undefined : `${cluster} does not answer, ${robbed.join()} does`;
    },
  ),
  'no share that others could have grows beyond the capacity of its cluster': onGain(
    (history, cluster, { key }, { share, losers }) => {
      const isForced = !losers.some((loser) => notesOf(history).answering.includes(loser));
      if (key.resource !== STORED.routes || isForced) return undefined;
      const most = mostCapacity(history, cluster);
      return share > most ? `${share} percent for ${cluster}, which was told to serve ${most}` : undefined;
    },
  ),
  'both clusters together have no more than a hundred and the surge': onWrite(STORED.services, (history, event) => {
    const surge = largestSurge(history, event);
    const sum = wholeCapacity(event);
    if (sum <= 100 + surge) return undefined;
    // What was given under a larger surge is taken back step by step; it must not grow.
    const hasGrown = sum > wholeCapacity(writeBefore(history, event));
    return hasGrown ? `${sum} percent with a surge of ${surge}` : undefined;
  }),
  'no cluster that answers clients is deleted': (history) => {
    watch(history);
    const gone = history.fresh.find(({ by, key, type, object, at }) => {
      const isDeleted = by === 'operator' && key.resource === STORED.clusters && type === 'DELETED';
      // Its pods may have gone with it; whoever answered at the last look did so until now.
      const isMissed = isDeleted && lastAnswer(history, key.name) >= (history.fresh[0]?.at ?? at);
      return isMissed && !isExcused(history, object, at) && sharesNow(history).has(key.name);
    });
    return gone?.key.name;
  },
  'a cluster is made only once its name is written down': onWrite(STORED.clusters, (history, { type, key }) => {
    if (type !== 'ADDED') return undefined;
    const isNamed = history.events.some(
      ({ key: of, object }) => of.resource === STORED.services && names(object).includes(key.name),
    );
    return isNamed ? undefined : key.name;
  }),
  'what is not ours is left alone': ({ fresh }) =>
    fresh.find(({ by, key }) => by === 'operator' && key.name === STRANGER)?.key.name,
};

/** What happened longer ago must have reached the operator: caches may be 44 s behind, and messages take up to 20 s. */
const KNOWLEDGE_MS = 120_000;

/** What both clusters of a service are told to serve together, in percent. */
function wholeCapacity(event: SimEvent | undefined): number {
  const { activeServiceStatus: active, pendingServiceStatus: pending } =
    (event === undefined ? undefined : asService(event.object).status) ?? {};
  return (active?.targetCapacity ?? 0) + (pending?.targetCapacity ?? 0);
}

/** The largest that somebody who has decided by now may have read: what was told to Serve meanwhile is what the status has to say. */
function largestSurge({ events }: History, now: SimEvent): number {
  const lately = events.filter(({ key, at }) => key.resource === now.key.resource && at >= now.at - KNOWLEDGE_MS);
  return Math.max(surgeOf(now) ?? 100, ...lately.map((event) => surgeOf(event) ?? 0));
}

function surgeOf({ object }: SimEvent): number | undefined {
  return asService(object).spec?.upgradeStrategy?.clusterUpgradeOptions?.maxSurgePercent;
}

/** The write to a resource before another one. */
function writeBefore({ events }: History, event: SimEvent): SimEvent | undefined {
  return events.slice(0, events.lastIndexOf(event)).findLast(({ key }) => key.resource === event.key.resource);
}

/** Looks at what the operator has written. */
function onWrite(
  resource: (typeof STORED)[keyof typeof STORED],
  check: (history: History, event: SimEvent) => string | undefined,
): Invariant {
  return (history) => {
    watch(history);
    for (const event of history.fresh) {
      const isDone = event.by === 'operator' && event.key.resource === resource && event.type !== 'DELETED';
      const problem = isDone ? check(history, event) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** How a cluster comes to more traffic. */
interface Gain {
  /** In percent, from now on. */
  readonly share: number;
  /** Who gets less for it. */
  readonly losers: readonly string[];
}

type GainCheck = (history: History, cluster: string, event: SimEvent, gain: Gain) => string | undefined;

/** Looks at clusters that get more traffic by what the operator has written: in the route, or by the service's own Service. */
function onGain(check: GainCheck): Invariant {
  const shift = (history: History, event: SimEvent, before: Shares, after: Shares) => {
    const losers = [...before].flatMap(([cluster, share]) => ((after.get(cluster) ?? 0) < share ? [cluster] : []));
    for (const [cluster, share] of after) {
      const isMore = share > (before.get(cluster) ?? 0);
      const problem = isMore ? check(history, cluster, event, { share, losers }) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  const ofRoute = onWrite(STORED.routes, (history, event) =>
    shift(history, event, routeShares(event.before), routeShares(event.object)),
  );
  const ofService = onWrite(STORED.kubeServices, (history, event) =>
    event.key.name === serviceNames.serve(SERVICE)
      ? shift(history, event, wholeShare(event.before), wholeShare(event.object))
      : undefined,
  );
  return (history) => ofRoute(history) ?? ofService(history);
}

/** What is remembered of a run from one look to the next. */
interface Notes {
  /** Until when each cluster has answered, as far as we have seen. */
  readonly last: Map<string, number>;
  answering: readonly string[];
  /** The largest capacity that each cluster was told. */
  readonly capacities: Map<string, number>;
  /** What was looked at last. */
  seen: SimEvent | undefined;
}

const notebooks = new WeakMap<History, Notes>();

function notesOf(history: History): Notes {
  const notes = notebooks.get(history) ?? { last: new Map(), answering: [], capacities: new Map(), seen: undefined };
  notebooks.set(history, notes);
  return notes;
}

/** Notes who answers. Whoever did so at the last look has done so until now. */
function watch(history: History): void {
  const notes = notesOf(history);
  const [first] = history.fresh;
  const last = history.fresh.at(-1);
  if (first === undefined || last === undefined || notes.seen === last) return;
  notes.seen = last;
  for (const cluster of notes.answering) notes.last.set(cluster, first.at);
  const clusters = history.list(STORED.clusters).map(({ metadata }) => metadata.name);
  notes.answering = clusters.filter((cluster) => isAnswered(history, cluster, last.at));
  for (const cluster of notes.answering) notes.last.set(cluster, last.at);
  for (const cluster of clusters) {
    const head = headOf((resource) => history.list(resource), cluster);
    const serve = head === undefined ? undefined : serveOf((resource) => history.list(resource), head);
    if (serve !== undefined)
      notes.capacities.set(cluster, Math.max(notes.capacities.get(cluster) ?? 0, capacityOf(serve)));
  }
}

function lastAnswer(history: History, cluster: string): number {
  return notesOf(history).last.get(cluster) ?? Number.NEGATIVE_INFINITY;
}

function mostCapacity(history: History, cluster: string): number {
  return notesOf(history).capacities.get(cluster) ?? 0;
}

/** Its service is gone, at rest, or does without two clusters at a time; or was so a moment ago. */
function isExcused(history: History, cluster: StoredObject, at: number): boolean {
  const service = history.list(STORED.services).find(({ metadata }) => metadata.name === SERVICE);
  if (!isWanted(service) || ownerOf(cluster) !== service.metadata.uid || replaces(service)) return true;
  if (isConditionTrue(asService(service).status?.conditions, RayServiceConditionType.Suspending)) return true;
  return history.events.some(
    ({ key, object, at: then }) =>
      key.resource === STORED.services &&
      key.namespace === NAMESPACE &&
      then >= at - KNOWLEDGE_MS &&
      (!isWanted(object) || replaces(object)),
  );
}

/** The old cluster goes before the new one comes. */
function replaces(service: StoredObject): boolean {
  return asService(service).spec?.upgradeStrategy?.type === 'Recreate';
}

function names(service: StoredObject): readonly string[] {
  const { activeServiceStatus, pendingServiceStatus } = asService(service).status ?? {};
  return [activeServiceStatus?.rayClusterName ?? '', pendingServiceStatus?.rayClusterName ?? ''];
}
