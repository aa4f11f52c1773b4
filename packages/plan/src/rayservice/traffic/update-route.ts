import { RayServiceEventReason as Event, type KubeObject } from '@manta/api';
import { updateExcepted, updateOwn } from '../../ownership.ts';
import { type Action, normal, type Reported, warning } from '../../plan.ts';
import type { HttpRoute } from '../observed.ts';
import { fullName, type ServiceState } from '../service-state.ts';

/** Writes the service's own route. */
export function updateRoute(state: ServiceState, live: HttpRoute, object: HttpRoute): readonly Action[] {
  return updateOwn(state.uid, 'HTTPRoute', live, object, words(state, object));
}

/** Writes the user's route that the service is to share its traffic in. */
export function updateAdopted(state: ServiceState, live: HttpRoute, object: HttpRoute): Action {
  return updateExcepted({ name: 'adopted-route' }, 'HTTPRoute', live, object, words(state, object));
}

function words(state: ServiceState, { metadata }: KubeObject): Reported {
  const told = fullName(state, metadata?.name ?? '');
  return {
    done: normal(Event.UpdatedHttpRoute, 'Update', `Updated the HTTPRoute ${told}`),
    failed: warning(Event.FailedToUpdateHttpRoute, 'Update', `Failed to update the HTTPRoute ${told}:`),
    isOptional: true,
  };
}
