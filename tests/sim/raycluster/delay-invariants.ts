import { GroupName, RayClusterEventReason } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History, Invariant, SimEvent } from '../history.ts';
import { firstOf, isPod } from './history-queries.ts';
import { asPod, groupOf, hasFailed, isGoing, ownerOf } from './stage.ts';

/** When the operator may delay the replacement of pods. */
export const DELAY_INVARIANTS: Readonly<Record<string, Invariant>> = {
  'replacements wait only after pods failed by themselves again and again': waitsOnlyForFailures,
};

/** The fourth failure is the first that delays a replacement. */
const DELAYED_FROM = 4;

/** A head waits for failures of its own cluster's heads; workers also for those of all pods on one node. */
function waitsOnlyForFailures(history: History): string | undefined {
  const told = history.fresh.filter(
    ({ key, type, object }) =>
      key.resource.endsWith('/events') &&
      type === 'ADDED' &&
      object['reason'] === RayClusterEventReason.ReplacementDelayed,
  );
  return firstOf(told, ({ object }) => {
    const { regarding, note } = object as { readonly regarding?: { readonly uid?: string }; readonly note?: string };
    const [, group = ''] = /^Pods of group (\S+) /.exec(note ?? '') ?? [];
    const failed = history.events.filter(failsByItself).map((event) => event.object);
    const inGroup = failed.filter((pod) => ownerOf(pod) === regarding?.uid && groupOf(pod) === group).length;
    const onNode = group === GroupName.Head ? 0 : mostOnOneNode(failed);
    return Math.max(inGroup, onNode) >= DELAYED_FROM
      ? undefined
      : `${inGroup} pods of group ${group} failed, and at most ${onNode} on one node`;
  });
}

function failsByItself({ key, object, before }: SimEvent): boolean {
  const isNews = before === undefined || !hasFailed(before);
  return isPod(key) && hasFailed(object) && !isGoing(object) && isNews;
}

function mostOnOneNode(pods: readonly StoredObject[]): number {
  const byNode = Map.groupBy(pods, (pod) => asPod(pod).spec?.nodeName ?? '');
  return Math.max(0, ...[...byNode.values()].map(({ length }) => length));
}
