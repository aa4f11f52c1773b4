import type { EventEntry, PodEntry } from '../store/entries.ts';
import type { HistoryStore, ObjectRow } from '../store/history-store.ts';
import type { HistoryListItem, ObjectStory, StoryEvent, StoryPod } from './documents.ts';
import { stateOf } from './object-state.ts';
import { isoTime, stagesOf } from './stages.ts';

/** Collects everything that is known of an object. `others` had the same name. */
export function storyOf(store: HistoryStore, object: ObjectRow, others: readonly ObjectRow[]): ObjectStory {
  const versions = store.versions(object.uid);
  const clusters = store.ownedBy(object.uid).filter(({ kind }) => kind === 'RayCluster');
  const pods = podsOf(store, object, clusters);
  const end = object.deletedAt ?? Infinity;
  const named = [object, ...clusters, ...pods.map(({ name }) => ({ kind: 'Pod', name, createdAt: object.createdAt }))];
  const events = named
    .flatMap(({ kind, name }) => store.events(object.namespace, kind, name))
    // Another object may have had the name before or after this one.
    .filter(({ at }) => at >= object.createdAt - CLOCK_SKEW_MS && at <= end + CLOCK_SKEW_MS)
    .toSorted((a, b) => a.at - b.at);
  return {
    object: listItem(object),
    others: others.map(listItem),
    stages: stagesOf(object.kind, versions, object.deletedAt),
    changes: versions.map(({ at, patch }) => ({ at: isoTime(at), ...(patch === undefined ? {} : { patch }) })),
    events: events.map(storyEvent),
    clusters: clusters.map(listItem),
    pods: pods.map((pod) => storyPod(store, pod)),
    document: object.document,
  };
}

/** Events are stamped by other clocks than the recorder's. */
const CLOCK_SKEW_MS = 60_000;

/** Pods of the object itself and of its clusters; of a RayJob its submitters as well, as far as they were created during its life. */
export function podsOf(store: HistoryStore, object: ObjectRow, clusters: readonly ObjectRow[]): readonly PodEntry[] {
  const ofClusters = [object, ...clusters].flatMap(({ uid }) => store.pods({ owner: uid }));
  if (object.kind !== 'RayJob') return ofClusters;
  const { namespace, name, createdAt, deletedAt = Infinity } = object;
  const submitters = store
    .pods({ namespace, job: name })
    .filter((pod) => pod.createdAt >= createdAt && pod.createdAt <= deletedAt);
  return [...ofClusters, ...submitters];
}

export function listItem({ kind, namespace, name, uid, createdAt, deletedAt, document }: ObjectRow): HistoryListItem {
  const { state, message } = stateOf(kind, document);
  const deleted = deletedAt === undefined ? {} : { deletedAt: isoTime(deletedAt) };
  return { kind, namespace, name, uid, createdAt: isoTime(createdAt), ...deleted, state, message };
}

function storyEvent({ at, type, reason, regardingKind, regardingName, message, count }: EventEntry): StoryEvent {
  return { at: isoTime(at), type, reason, object: `${regardingKind.toLowerCase()}/${regardingName}`, message, count };
}

function storyPod(store: HistoryStore, pod: PodEntry): StoryPod {
  const { name, uid, nodeType, group, node, createdAt, deletedAt, ends } = pod;
  return {
    name,
    uid,
    nodeType,
    group,
    node,
    createdAt: isoTime(createdAt),
    ...(deletedAt === undefined ? {} : { deletedAt: isoTime(deletedAt) }),
    ends: ends.map((end) => ({ ...end, at: isoTime(end.at) })),
    logs: store.logs(uid).map(({ container, restart, text }) => ({
      container,
      restart,
      lines: text === '' ? 0 : text.trimEnd().split('\n').length,
    })),
  };
}
