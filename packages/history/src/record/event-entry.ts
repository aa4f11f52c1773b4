import type { Event, KubeObject } from '@manta/api';
import type { EventEntry } from '../store/entries.ts';
import { timeOf } from './pod-entry.ts';

const RECORDED: readonly string[] = ['RayCluster', 'RayJob', 'RayService', 'RayCronJob', 'Pod', 'Job', 'Service'];

/** An event as it is read: only what recording needs. */
export type RecordedEvent = KubeObject &
  Partial<
    Pick<
      Event,
      'regarding' | 'series' | 'deprecatedLastTimestamp' | 'deprecatedCount' | 'eventTime' | 'type' | 'reason' | 'note'
    >
  >;

/** What is recorded of an event; undefined if it regards an object that has nothing to do with Ray. */
export function eventEntry(event: RecordedEvent): EventEntry | undefined {
  const { kind = '', name = '' } = event.regarding ?? {};
  if (!RECORDED.includes(kind)) return undefined;
  const { uid = '', namespace = '', creationTimestamp } = event.metadata ?? {};
  const last = event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? event.eventTime;
  return {
    kind: 'event',
    uid,
    namespace: event.regarding?.namespace ?? namespace,
    regardingKind: kind,
    regardingName: name,
    at: timeOf(last) ?? timeOf(creationTimestamp) ?? 0,
    type: event.type ?? '',
    reason: event.reason ?? '',
    message: event.note ?? '',
    count: event.series?.count ?? event.deprecatedCount ?? 1,
  };
}
