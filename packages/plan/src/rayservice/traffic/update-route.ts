import { RayServiceEventReason as Event, type KubeObject } from '@manta/api';
import { updateExcepted, updateOwn } from '../../ownership.ts';
import { type Action, normal, type Reported, warning } from '../../plan.ts';
import type { HttpRoute } from '../observed.ts';
import { fullName, type Subject } from '../service-state.ts';

/** Writes the service's own route. */
export function updateRoute(subject: Subject, live: HttpRoute, object: HttpRoute): readonly Action[] {
  return updateOwn(subject.uid, 'HTTPRoute', live, object, words(subject, object));
}

/** Writes the user's route that the service is to share its traffic in. */
export function updateAdopted(subject: Subject, live: HttpRoute, object: HttpRoute): Action {
  return updateExcepted({ name: 'adopted-route' }, 'HTTPRoute', live, object, words(subject, object));
}

function words(subject: Subject, { metadata }: KubeObject): Reported {
  const told = fullName(subject, metadata?.name ?? '');
  return {
    done: normal(Event.UpdatedHttpRoute, 'Update', `Updated the HTTPRoute ${told}`),
    failed: warning(Event.FailedToUpdateHttpRoute, 'Update', `Failed to update the HTTPRoute ${told}:`),
    isOptional: true,
  };
}
