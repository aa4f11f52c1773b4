import { Label, type KubeObject, NodeType, type Pod, type RayCluster } from '@manta/api';
import { itemsOf, type ObjectRef, type Part, type World, type WorldEvent } from './world.ts';

/** The object of that name in a part of the world. */
export function find<T extends KubeObject>(part: Part<T>, namespace: string | undefined, name: string): T | undefined {
  return itemsOf(part).find(
    ({ metadata }) => metadata?.name === name && (namespace === undefined || metadata.namespace === namespace),
  );
}

/** The pods of a RayCluster, head first, then by group and name. Pods that are being deleted come last. */
export function podsOfCluster(world: World, { metadata }: RayCluster): readonly Pod[] {
  const rank = (pod: Pod) => (isTerminating(pod) ? 2 : isHead(pod) ? 0 : 1);
  const sortKey = (pod: Pod) => `${groupOf(pod)}/${pod.metadata?.name}`;
  return itemsOf(world.pods)
    .filter((pod) => pod.metadata?.namespace === metadata?.namespace && clusterLabel(pod) === metadata?.name)
    .toSorted((a, b) => rank(a) - rank(b) || sortKey(a).localeCompare(sortKey(b)));
}

export function isHead(pod: Pod): boolean {
  return pod.metadata?.labels?.[Label.NodeType] === NodeType.Head;
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata?.deletionTimestamp !== undefined;
}

export function groupOf(pod: Pod): string {
  return pod.metadata?.labels?.[Label.Group] ?? '';
}

function clusterLabel(pod: Pod): string | undefined {
  return pod.metadata?.labels?.[Label.Cluster];
}

/** Events about an object, newest first. */
export function eventsOf(world: World, ref: ObjectRef): readonly WorldEvent[] {
  return itemsOf(world.events)
    .filter(
      ({ regarding, metadata }) =>
        regarding?.kind === ref.kind &&
        regarding.name === ref.name &&
        (ref.namespace === undefined || (regarding.namespace ?? metadata?.namespace) === ref.namespace),
    )
    .toSorted((a, b) => eventTimeMs(b) - eventTimeMs(a));
}

/** When an event happened last, in milliseconds since the epoch; 0 if it does not say. */
export function eventTimeMs({ series, eventTime, deprecatedLastTimestamp, metadata }: WorldEvent): number {
  return timeMs(series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata?.creationTimestamp) ?? 0;
}

/** A timestamp in milliseconds since the epoch; undefined if it is absent or malformed. */
export function timeMs(time: string | null | undefined): number | undefined {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** How long an object has existed, in milliseconds. */
export function ageMs(world: World, { metadata }: KubeObject): number {
  return world.now - (timeMs(metadata?.creationTimestamp) ?? world.now);
}

/** The reference of an object whose kind the caller knows. */
export function refOf(kind: string, { metadata }: KubeObject): ObjectRef {
  const { name = '', namespace } = metadata ?? {};
  return { kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** `Pod/demo-head`, the way the output names objects. */
export function refText({ kind, name }: ObjectRef): string {
  return `${kind}/${name}`;
}
