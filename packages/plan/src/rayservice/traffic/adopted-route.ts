import { Annotation, RayServiceEventReason as Event, serviceNames } from '@manta/api';
import { type Backend, shareInRoute } from '../../build/http-route.ts';
import { servePortOf } from '../../build/service-services.ts';
import { isOwn, updateExcepted } from '../../ownership.ts';
import { type Action, normal, type Reported, warning } from '../../plan.ts';
import type { HttpRoute, ServiceCluster } from '../observed.ts';
import { fullName, type ServiceState } from '../service-state.ts';

/**
 * The name of the user's own HTTPRoute that the service adopts: the operator sets the traffic weights in it instead of creating a Gateway
 * and a route. Undefined when the annotation is not set.
 */
export function adoptedRoute({ service }: Pick<ServiceState, 'service'>): string | undefined {
  return service.metadata?.annotations?.[Annotation.AdoptedHttpRoute] || undefined;
}

/** Sets the traffic weights in the user's route. Hostnames, filters, parents and other backends stay as the user wrote them. */
export function planAdoptedRoute(
  state: ServiceState,
  live: HttpRoute | undefined,
  backends: readonly Backend[],
): readonly Action[] {
  const name = adoptedRoute(state) ?? '';
  if (live === undefined) return [warnAboutRoute(`HTTPRoute ${fullName(state, name)} does not exist`)];
  if (backends.length === 0) return [];
  const next = shareInRoute(live, (service) => isServeService(state, service), backends);
  if (next === undefined) return [];
  if (next !== 'none') {
    return [updateExcepted({ name: 'adopted-route' }, 'HTTPRoute', live, next, updatedRoute(state, next))];
  }
  const wanted = serviceNames.serve(state.name);
  const why = `HTTPRoute ${fullName(state, name)} has no backend ${wanted}: add it to the rules whose traffic the service should get`;
  return [warnAboutRoute(why)];
}

/** Routes all traffic of an adopted route to the serve Service: the strategy is not incremental. */
export function resetAdoptedRoute(state: ServiceState, target: ServiceCluster): readonly Action[] {
  const { gatewayApi, name, spec } = state;
  if (adoptedRoute(state) === undefined || gatewayApi.kind !== 'available') return [];
  const service = serviceNames.serve(name, spec.serveService?.metadata?.name);
  return planAdoptedRoute(state, gatewayApi.route, [{ service, port: servePortOf(target.cluster), weight: 100 }]);
}

/** The events of an update of an HTTPRoute, adopted or created by the operator. */
export function updatedRoute(state: ServiceState, { metadata }: HttpRoute): Reported {
  const name = fullName(state, metadata?.name ?? '');
  return {
    done: normal(Event.UpdatedHttpRoute, 'Update', `Updated the HTTPRoute ${name}`),
    failed: warning(Event.FailedToUpdateHttpRoute, 'Update', `Failed to update the HTTPRoute ${name}:`),
    isOptional: true,
  };
}

/**
 * Whether a backend name is one under which this RayService gets Serve traffic, now or earlier. A backend that exists and has another
 * controller owner is not changed.
 */
function isServeService(state: ServiceState, service: string): boolean {
  const { name, spec, kubeServices, clusters, uid } = state;
  const live = kubeServices.get(service);
  const owners = [uid, ...clusters.map(({ cluster }) => cluster.metadata?.uid ?? '')];
  if (live !== undefined && !owners.some((owner) => isOwn(owner, live))) return false;
  const own = [serviceNames.serve(name), serviceNames.serve(name, spec.serveService?.metadata?.name)];
  if (own.includes(service)) return true;
  const cluster = service.startsWith(`${name}-`) ? service.slice(name.length + 1) : '';
  return /^[a-z0-9]{5}-serve-svc$/.test(cluster);
}

function warnAboutRoute(why: string): Action {
  const note = `The annotation ${Annotation.AdoptedHttpRoute} cannot be followed: ${why}`;
  return { type: 'event', event: warning(Event.FailedToUpdateHttpRoute, 'Update', note) };
}
