import { type KubeObject, RayServiceEventReason as Event } from '@manta/api';
import { deleteOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import type { ServiceCluster } from './observed.ts';
import { fullName, type ServiceState } from './service-state.ts';

/** Deletes a cluster of the service, unless its deletion has already started. `because` continues the events' sentence. */
export function deleteCluster(
  state: ServiceState,
  { cluster }: ServiceCluster,
  because = '',
  propagation: 'Background' | 'Foreground' = 'Background',
): readonly Action[] {
  const { name = '', deletionTimestamp } = cluster.metadata ?? {};
  if (deletionTimestamp !== undefined) return [];
  const what = `the RayCluster ${fullName(state, name)}${because}`;
  return deleteOwn(state.uid, 'RayCluster', cluster, {
    propagation,
    done: normal(Event.DeletedRayCluster, 'Delete', `Deleted ${what}`),
    failed: warning(Event.FailedToDeleteRayCluster, 'Delete', `Failed to delete ${what}:`),
  });
}

export type OwnKind = 'Service' | 'Gateway' | 'HTTPRoute';

const DELETE_REASONS: Readonly<Record<OwnKind, readonly [done: string, failed: string]>> = {
  Service: [Event.DeletedService, Event.FailedToDeleteService],
  Gateway: [Event.DeletedGateway, Event.FailedToDeleteGateway],
  HTTPRoute: [Event.DeletedHttpRoute, Event.FailedToDeleteHttpRoute],
};

/** Deletes an object that the service owns, unless its deletion has already started. */
export function deleteObject(
  state: ServiceState,
  kind: OwnKind,
  object: KubeObject,
  because: string,
): readonly Action[] {
  const { metadata } = object;
  if (metadata?.deletionTimestamp !== undefined) return [];
  const [done, failed] = DELETE_REASONS[kind];
  const what = `the ${kind} ${fullName(state, metadata?.name ?? '')}${because}`;
  return deleteOwn(state.uid, kind, object, {
    done: normal(done, 'Delete', `Deleted ${what}`),
    failed: warning(failed, 'Delete', `Failed to delete ${what}:`),
  });
}
