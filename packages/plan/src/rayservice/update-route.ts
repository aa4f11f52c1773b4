import { RayServiceEventReason as Event } from '@manta/api';
import { type Action, normal, warning } from '../plan.ts';
import type { HttpRoute } from './observed.ts';
import { fullName, type Subject } from './subject.ts';

/** Writes a route, ours or the user's. */
export function updateRoute(subject: Subject, object: HttpRoute): Action {
  const told = fullName(subject, object.metadata?.name ?? '');
  return {
    type: 'update',
    kind: 'HTTPRoute',
    object,
    done: normal(Event.UpdatedHttpRoute, 'Update', `Updated the HTTPRoute ${told}`),
    failed: warning(Event.FailedToUpdateHttpRoute, 'Update', `Failed to update the HTTPRoute ${told}:`),
    isOptional: true,
  };
}
