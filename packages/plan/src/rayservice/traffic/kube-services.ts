import { Annotation, SharedEventReason as Event, type Service, serviceNames } from '@manta/api';
import { alignService } from '../../build/align-service.ts';
import { NO_SERVE_PORT } from '../../build/serve-service.ts';
import {
  buildClusterServeService,
  buildServiceHeadService,
  buildServiceServeService,
} from '../../build/service-services.ts';
import { isOwn, updateOwn } from '../../ownership.ts';
import { type Action, type CreateAction, normal, warning } from '../../plan.ts';
import type { ServiceCluster } from '../observed.ts';
import { fullName, type ServiceState } from '../service-state.ts';
import { deleteObject } from '../suspend.ts';

/** Leads the service's own names, for its head and for its Serve traffic, to a cluster. */
export function planOwnServices(state: ServiceState, target: ServiceCluster): readonly Action[] {
  const { service, context } = state;
  return [
    // Serving does not need it, so one that is another's holds up nothing.
    ...planService(state, buildServiceHeadService(service, target.cluster, context)).filter(isPossible),
    ...planServeService(state, target),
  ];
}

function isPossible({ type }: Action): boolean {
  return type !== 'abort';
}

/** The name under which the service takes Serve traffic. */
export function serveServiceName({ name, spec, strategy }: ServiceState): string {
  return serviceNames.serve(name, strategy.kind === 'incremental' ? undefined : spec.serveService?.metadata?.name);
}

/** One Service for each cluster of a service that moves its traffic in steps. */
export function planPerClusterServices(
  state: ServiceState,
  views: readonly (ServiceCluster | undefined)[],
): readonly Action[] {
  return views.flatMap((view) => {
    if (view === undefined) return [];
    const wanted = buildClusterServeService(view.cluster);
    if (wanted === undefined) return noPort();
    if (state.services.has(wanted.metadata?.name ?? '')) return [];
    const { done: _untold, ...made } = create(state, wanted);
    return [made];
  });
}

/**
 * With traffic in steps the routes lead to the clusters' own Services, and none of the service's own is made unless asked for. One that is
 * there, left from another strategy for one, is followed by whoever knows its name, so it goes on leading to a cluster that serves.
 */
function planServeService(state: ServiceState, target: ServiceCluster): readonly Action[] {
  const wanted = buildServiceServeService(state.service, state.spec, target.cluster);
  const { strategy, services, uid } = state;
  if (strategy.kind === 'incremental') {
    const left = services.get(serveServiceName(state));
    const isWanted = state.service.metadata?.annotations?.[Annotation.StableServeService] === 'true';
    const mayKeep = left === undefined ? isWanted : isOwn(uid, left);
    if (wanted === undefined || !mayKeep) return [];
    return planService(state, { ...wanted, metadata: { ...wanted.metadata, name: serveServiceName(state) } });
  }
  if (wanted === undefined) return noPort();
  return [...planService(state, wanted), ...deleteRenamed(state, wanted.metadata?.name ?? '')];
}

/** A serve Service of ours under a name that the service no longer has. */
function deleteRenamed(state: ServiceState, name: string): readonly Action[] {
  const { services, name: service } = state;
  // Nothing goes before what replaces it is there.
  if (!services.has(name)) return [];
  const kept = [name, serviceNames.head(service)];
  return [...services.values()].flatMap((each) =>
    kept.includes(each.metadata?.name ?? '')
      ? []
      : deleteObject(state, 'Service', each, ', its name is no longer in use'),
  );
}

function planService(state: ServiceState, wanted: Service): readonly Action[] {
  const live = state.services.get(wanted.metadata?.name ?? '');
  if (live === undefined) return [create(state, wanted)];
  if (!isOwn(state.uid, live)) return refuseForeignService(state, wanted);
  const next = alignService(live, wanted);
  if (next === undefined) return [];
  // No Service gets an address after it was made without one: it goes, and the next look makes it anew.
  if (live.spec?.clusterIP === 'None' && needsAddress(wanted)) {
    return deleteObject(state, 'Service', live, ', it is made anew with an address');
  }
  const told = `the service ${fullName(state, wanted.metadata?.name ?? '')}`;
  return updateOwn(state.uid, 'Service', live, next, {
    done: normal(Event.UpdatedService, 'Update', `Updated ${told}`),
    failed: warning(Event.FailedToUpdateService, 'Update', `Failed to update ${told}`),
  });
}

/** Another object, or a user, has a Service under that name, and clients find its pods by it. */
function refuseForeignService(state: ServiceState, { metadata }: Service): readonly Action[] {
  const name = fullName(state, metadata?.name ?? '');
  const why = 'it is not controlled by this RayService and is left alone; delete or rename it, or choose another name';
  const message = `the service ${name} is not updated: ${why}`;
  const event = warning(Event.FailedToUpdateService, 'Update', `Failed to update the service ${name}, ${why}`);
  return [
    { type: 'event', event },
    { type: 'abort', message },
  ];
}

function needsAddress({ spec }: Service): boolean {
  return spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
}

function create(state: ServiceState, service: Service): CreateAction {
  const told = `the service ${fullName(state, service.metadata?.name ?? '')}`;
  return {
    type: 'create',
    kind: 'Service',
    objects: [service],
    whenExists: 'fine',
    done: normal(Event.CreatedService, 'Create', `Created ${told}`),
    failed: warning(Event.FailedToCreateService, 'Create', `Failed to create ${told}`),
  };
}

/** Without a port there is no Service, and without a Service nothing may count as served. */
function noPort(): readonly Action[] {
  const event = warning(Event.FailedToCreateService, 'Create', NO_SERVE_PORT);
  return [
    { type: 'event', event },
    { type: 'abort', message: NO_SERVE_PORT },
  ];
}
