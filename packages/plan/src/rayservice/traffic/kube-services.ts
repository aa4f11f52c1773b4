import { Annotation, type Service, serviceNames, SharedEventReason as Event } from '@manta/api';
import { alignService } from '../../build/align-service.ts';
import { NO_SERVE_PORT } from '../../build/serve-service.ts';
import {
  buildClusterServeService,
  buildServiceHeadService,
  buildServiceServeService,
} from '../../build/service-services.ts';
import { isOwn, updateOwn } from '../../ownership.ts';
import { type Action, type CreateAction, normal, warning } from '../../plan.ts';
import { deleteObject } from '../delete-objects.ts';
import type { ServiceCluster } from '../observed.ts';
import { fullName, type ServiceState } from '../service-state.ts';

/** Creates and updates the RayService's own head Service and serve Service so that they select the pods of `target`. */
export function planOwnServices(state: ServiceState, target: ServiceCluster): readonly Action[] {
  const { service, context } = state;
  const head = planService(state, buildServiceHeadService(service, target.cluster, context));
  // Serving does not need the head Service, so a foreign Service under its name does not abort the reconcile.
  return [...head.filter(({ type }) => type !== 'abort'), ...planServeService(state, target)];
}

/** The name of the serve Service, which clients use. */
export function serveServiceName({ name, spec, strategy }: ServiceState): string {
  return serviceNames.serve(name, strategy.kind === 'incremental' ? undefined : spec.serveService?.metadata?.name);
}

/** Creates a serve Service for each cluster of an incremental service: the backends of its HTTPRoute. */
export function planPerClusterServices(
  state: ServiceState,
  views: readonly (ServiceCluster | undefined)[],
): readonly Action[] {
  return views.flatMap((view) => {
    if (view === undefined) return [];
    const wanted = buildClusterServeService(view.cluster);
    if (wanted === undefined) return abortWithoutServePort();
    if (state.kubeServices.has(wanted.metadata?.name ?? '')) return [];
    const { done: _noEvent, ...created } = createService(state, wanted);
    return [created];
  });
}

/**
 * An incremental service routes traffic to the clusters' Services and gets a serve Service of its own only if the annotation asks for it. One
 * that exists, from another strategy for example, is kept up to date: clients may know its name.
 */
function planServeService(state: ServiceState, target: ServiceCluster): readonly Action[] {
  const wanted = buildServiceServeService(state.service, state.spec, target.cluster);
  const { strategy, kubeServices, uid } = state;
  if (strategy.kind === 'incremental') {
    const existing = kubeServices.get(serveServiceName(state));
    const isRequested = state.service.metadata?.annotations?.[Annotation.StableServeService] === 'true';
    const isKept = existing === undefined ? isRequested : isOwn(uid, existing);
    if (wanted === undefined || !isKept) return [];
    return planService(state, { ...wanted, metadata: { ...wanted.metadata, name: serveServiceName(state) } });
  }
  if (wanted === undefined) return abortWithoutServePort();
  return [...planService(state, wanted), ...deleteRenamed(state, wanted.metadata?.name ?? '')];
}

/** Deletes serve Services under former names, once the one under the present name exists. */
function deleteRenamed(state: ServiceState, name: string): readonly Action[] {
  const { kubeServices } = state;
  if (!kubeServices.has(name)) return [];
  const kept = [name, serviceNames.head(state.name)];
  return [...kubeServices.values()].flatMap((each) =>
    kept.includes(each.metadata?.name ?? '')
      ? []
      : deleteObject(state, 'Service', each, ', its name is no longer in use'),
  );
}

function planService(state: ServiceState, wanted: Service): readonly Action[] {
  const live = state.kubeServices.get(wanted.metadata?.name ?? '');
  if (live === undefined) return [createService(state, wanted)];
  if (!isOwn(state.uid, live)) return refuseForeignService(state, wanted);
  const next = alignService(live, wanted);
  if (next === undefined) return [];
  // A headless Service cannot get a ClusterIP: it is deleted, and the next reconcile creates it again.
  if (live.spec?.clusterIP === 'None' && needsClusterIp(wanted)) {
    return deleteObject(state, 'Service', live, ', it is made anew with an address');
  }
  const what = `the service ${fullName(state, wanted.metadata?.name ?? '')}`;
  return updateOwn(state.uid, 'Service', live, next, {
    done: normal(Event.UpdatedService, 'Update', `Updated ${what}`),
    failed: warning(Event.FailedToUpdateService, 'Update', `Failed to update ${what}`),
  });
}

/** A user or another controller has a Service under that name, and its clients rely on it. */
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

function needsClusterIp({ spec }: Service): boolean {
  return spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
}

function createService(state: ServiceState, service: Service): CreateAction {
  const what = `the service ${fullName(state, service.metadata?.name ?? '')}`;
  return {
    type: 'create',
    kind: 'Service',
    objects: [service],
    whenExists: 'fine',
    done: normal(Event.CreatedService, 'Create', `Created ${what}`),
    failed: warning(Event.FailedToCreateService, 'Create', `Failed to create ${what}`),
  };
}

/** Without a Serve port there can be no serve Service; aborting keeps the status from reporting the cluster as serving. */
function abortWithoutServePort(): readonly Action[] {
  const event = warning(Event.FailedToCreateService, 'Create', NO_SERVE_PORT);
  return [
    { type: 'event', event },
    { type: 'abort', message: NO_SERVE_PORT },
  ];
}
