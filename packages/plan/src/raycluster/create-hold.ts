import { RayClusterEventReason } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { Subject } from './subject.ts';

/**
 * Creations that are put off, so that what fails again and again costs the API server and the nodes little. Either nothing of a group is
 * made for a while because the last try was refused, or some of its places stay empty because what was in them failed repeatedly.
 */
export type CreateHold =
  | { readonly kind: 'refused'; readonly until: number }
  | { readonly kind: 'failing'; readonly places: number; readonly until: number };

/** What a hold leaves of the pods that are missing, and what to say about the rest. */
export interface Permitted {
  readonly count: number;
  readonly actions: readonly Action[];
}

/** How many of a group's missing pods (or replicas of `size` pods) may be made now. */
export function permitted(subject: Subject, group: string, missing: number, size = 1): Permitted {
  const hold = subject.holds.get(group);
  if (hold === undefined || hold.until <= subject.now || missing <= 0) return { count: missing, actions: [] };
  const wait = (message: string): Action => ({ type: 'wait', message, requeueAfterMs: hold.until - subject.now });
  if (hold.kind === 'refused')
    return { count: 0, actions: [wait(`group ${group}: creating a Pod was refused, trying again later`)] };
  const held = Math.min(missing, Math.ceil(hold.places / size));
  return {
    count: missing - held,
    actions: [tell(subject, group), wait(`group ${group}: replacing Pods that fail again and again later`)],
  };
}

function tell(subject: Subject, group: string): Action {
  const note = `Pods of group ${group} of RayCluster ${fullName(subject, subject.name)} fail again and again, or on the same node; they are replaced more slowly`;
  return { type: 'event', event: warning(RayClusterEventReason.ReplacementDelayed, 'Create', note) };
}
