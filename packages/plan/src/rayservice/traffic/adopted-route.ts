import { Annotation, RayServiceEventReason as Event, isConditionTrue, serviceNames } from '@manta/api';
import { type Backend, shareInRoute } from '../../build/http-route.ts';
import { servePortOf } from '../../build/service-services.ts';
import { isOwn } from '../../ownership.ts';
import { type Action, warning } from '../../plan.ts';
import type { HttpRoute, ServiceCluster } from '../observed.ts';
import { fullName, type ServiceState } from '../service-state.ts';
import { updateAdopted } from './update-route.ts';

/** The name of the user's own route that the service is to share its traffic in; undefined where it makes one itself. */
export function adoptedRoute({ service }: Pick<ServiceState, 'service'>): string | undefined {
  return service.metadata?.annotations?.[Annotation.AdoptedHttpRoute] || undefined;
}

/** Whether any of the Gateways that the user chose has taken the route and found its backends. */
export function isAcceptedByAnyGateway(route: HttpRoute | undefined): boolean {
  return (route?.status?.parents ?? []).some(
    ({ conditions }) => isConditionTrue(conditions, 'Accepted') && isConditionTrue(conditions, 'ResolvedRefs'),
  );
}

/** Keeps the shares in the user's route; hostnames, filters, parents and other backends are the user's. */
export function planAdoptedRoute(
  state: ServiceState,
  live: HttpRoute | undefined,
  backends: readonly Backend[],
): readonly Action[] {
  const name = adoptedRoute(state) ?? '';
  if (live === undefined) return [complain(`HTTPRoute ${fullName(state, name)} does not exist`)];
  if (backends.length === 0) return [];
  const next = shareInRoute(live, (service) => isServeService(state, service), backends);
  if (next === undefined) return [];
  if (next !== 'none') return [updateAdopted(state, live, next)];
  const wanted = serviceNames.serve(state.name);
  const why = `HTTPRoute ${fullName(state, name)} has no backend ${wanted}: add it to the rules whose traffic the service should get`;
  return [complain(why)];
}

/** Without steps all of the traffic goes to the service's own serve Service. */
export function resetAdoptedRoute(state: ServiceState, target: ServiceCluster): readonly Action[] {
  const { gatewayApi, name, spec } = state;
  if (adoptedRoute(state) === undefined || gatewayApi.kind !== 'available') return [];
  const service = serviceNames.serve(name, spec.serveService?.metadata?.name);
  return planAdoptedRoute(state, gatewayApi.route, [{ service, port: servePortOf(target.cluster), weight: 100 }]);
}

/**
 * One of the names under which the service takes Serve traffic, now or before. A Service of that name that the service does not control
 * is another's: a route that leads to it is not changed.
 */
function isServeService(state: ServiceState, service: string): boolean {
  const { name, spec, services, clusters, uid } = state;
  const live = services.get(service);
  const owners = [uid, ...clusters.map(({ cluster }) => cluster.metadata?.uid ?? '')];
  if (live !== undefined && !owners.some((owner) => isOwn(owner, live))) return false;
  const own = [serviceNames.serve(name), serviceNames.serve(name, spec.serveService?.metadata?.name)];
  if (own.includes(service)) return true;
  const cluster = service.startsWith(`${name}-`) ? service.slice(name.length + 1) : '';
  return /^[a-z0-9]{5}-serve-svc$/.test(cluster);
}

function complain(why: string): Action {
  const note = `The annotation ${Annotation.AdoptedHttpRoute} cannot be followed: ${why}`;
  return { type: 'event', event: warning(Event.FailedToUpdateHttpRoute, 'Update', note) };
}
