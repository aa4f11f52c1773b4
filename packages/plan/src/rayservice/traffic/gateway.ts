import { RayServiceEventReason as Event, isGatewayReady, isHttpRouteReady, serviceNames } from '@manta/api';
import { alignGateway, buildGateway } from '../../build/gateway.ts';
import { alignHttpRoute, type Backend, buildHttpRoute } from '../../build/http-route.ts';
import { servePortOf } from '../../build/service-services.ts';
import { isOwn, updateOwn } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { adoptedRoute, isAcceptedByAnyGateway, planAdoptedRoute } from './adopted-route.ts';
import type { Gateway, HttpRoute } from '../observed.ts';
import type { IncrementalOptions } from '../upgrade/strategy.ts';
import { fullName, type AssignedCluster, type ServiceState } from '../service-state.ts';
import { deleteObject } from '../suspend.ts';
import { updateRoute } from './update-route.ts';

/** Keeps the Gateway, and the route that shares the traffic out as the status says. */
export function planGatewayRouting(state: ServiceState, options: IncrementalOptions): readonly Action[] {
  const { gatewayApi } = state;
  if (gatewayApi.kind !== 'available') return [];
  if (adoptedRoute(state) !== undefined) return planAdoptedRoute(state, gatewayApi.route, backendsOf(state));
  return [...planGateway(state, options, gatewayApi.gateway), ...planRoute(state, gatewayApi.route)];
}

/** Removes what an earlier strategy has left, once the serve Service takes the traffic. */
export function deleteGatewayRouting(state: ServiceState): readonly Action[] {
  const { gatewayApi } = state;
  if (gatewayApi.kind !== 'available') return [];
  const { gateway, route } = gatewayApi;
  const because = ', the upgrade strategy no longer needs it';
  return [
    ...(route === undefined ? [] : deleteObject(state, 'HTTPRoute', route, because)),
    ...(gateway === undefined ? [] : deleteObject(state, 'Gateway', gateway, because)),
  ];
}

/** A Gateway that nobody has taken for so long has nobody. */
const GATEWAY_PATIENCE_MS = 60_000;

/** What keeps traffic from being moved in steps. */
export interface GatewayProblem {
  readonly why: string;
  /** Whoever serves Gateways has said so himself. */
  readonly isReported: boolean;
  /** How long there is still hope that it passes by itself. */
  readonly graceMs: number;
}

/** Looks at the Gateway and the route that the service has made; a user's own route is the user's business. */
export function gatewayProblem(state: ServiceState): GatewayProblem | undefined {
  const { gatewayApi, strategy } = state;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'available' || isGatewayRoutingReady(state))
    return undefined;
  const { gateway, route } = gatewayApi;
  if (adoptedRoute(state) !== undefined || gateway === undefined) return undefined;
  if (!isGatewayReady(gateway)) {
    const told = refusalOf(gateway.status?.conditions);
    const why = told ?? `is there a controller for the class ${strategy.options.gatewayClassName}?`;
    const name = fullName(state, serviceNames.gateway(state.name));
    const isReported = told !== undefined;
    return {
      why: `the Gateway ${name} is not programmed: ${why}`,
      isReported,
      graceMs: hope(state, gateway, gateway.status?.conditions),
    };
  }
  if (route === undefined) return undefined;
  const told = route.status?.parents?.map(({ conditions }) => refusalOf(conditions)).find((each) => each !== undefined);
  const name = fullName(state, serviceNames.httpRoute(state.name));
  const why = `no Gateway has taken the HTTPRoute ${name}${told === undefined ? '' : `: ${told}`}`;
  const conditions = route.status?.parents?.flatMap((parent) => parent.conditions ?? []);
  return { why, isReported: told !== undefined, graceMs: hope(state, route, conditions) };
}

/** The words of whoever says no; somebody who has not made up his mind says `Unknown`. */
function refusalOf(conditions: Conditions): string | undefined {
  return conditions?.find(({ status, message = '' }) => status === 'False' && message !== '')?.message;
}

type Conditions = NonNullable<Gateway['status']>['conditions'];

/** Counted from when it was made or last said otherwise. Clocks differ by a little; one that has been put back by more says nothing. */
function hope({ now }: ServiceState, { metadata }: Gateway | HttpRoute, conditions: Conditions): number {
  const said = (conditions ?? []).filter(({ status }) => status !== 'True').map((each) => each.lastTransitionTime);
  const times = [metadata?.creationTimestamp, ...said].map((time) => Date.parse(time ?? ''));
  const leftMs = Math.max(...times.filter((ms) => !Number.isNaN(ms))) + GATEWAY_PATIENCE_MS - now;
  return leftMs > 0 && leftMs < 2 * GATEWAY_PATIENCE_MS ? Math.min(leftMs, GATEWAY_PATIENCE_MS) : 0;
}

/** Whether the Gateway carries traffic and has taken the route. */
export function isGatewayRoutingReady(state: ServiceState): boolean {
  const { gatewayApi } = state;
  if (gatewayApi.kind !== 'available') return false;
  const { gateway, route } = gatewayApi;
  if (adoptedRoute(state) !== undefined) return isAcceptedByAnyGateway(route);
  return isGatewayReady(gateway) && isHttpRouteReady(route, gateway);
}

function planGateway(state: ServiceState, options: IncrementalOptions, live: Gateway | undefined): readonly Action[] {
  const wanted = buildGateway(state.service, options.gatewayClassName);
  const told = fullName(state, serviceNames.gateway(state.name));
  if (live === undefined) {
    return [
      {
        type: 'create',
        kind: 'Gateway',
        objects: [wanted],
        whenExists: 'fine',
        done: normal(Event.CreatedGateway, 'Create', `Created Gateway for RayService ${told}`),
        failed: warning(Event.FailedToCreateGateway, 'Create', `Failed to create Gateway for RayService ${told}:`),
        isOptional: true,
      },
    ];
  }
  if (!isOwn(state.uid, live)) return [leftAlone(Event.FailedToUpdateGateway, `Gateway ${told}`)];
  const object = alignGateway(live, wanted);
  if (object === undefined) return [];
  return updateOwn(state.uid, 'Gateway', live, object, {
    done: normal(Event.UpdatedGateway, 'Update', `Updated the Gateway ${told}`),
    failed: warning(Event.FailedToUpdateGateway, 'Update', `Failed to update the Gateway ${told}:`),
    isOptional: true,
  });
}

/** An object of that name exists, and this service does not control it. */
function leftAlone(reason: string, told: string): Action {
  const note = `The ${told} exists and is not controlled by this RayService: it is left alone, and traffic cannot be moved in steps. Delete or rename it, or rename the RayService`;
  return { type: 'event', event: warning(reason, 'Update', note) };
}

function planRoute(state: ServiceState, live: HttpRoute | undefined): readonly Action[] {
  const { active, service } = state;
  if (active.view === undefined) return [];
  const wanted = buildHttpRoute(service, backendsOf(state));
  const told = fullName(state, serviceNames.httpRoute(state.name));
  if (live === undefined) {
    return [
      {
        type: 'create',
        kind: 'HTTPRoute',
        objects: [wanted],
        whenExists: 'fine',
        done: normal(Event.CreatedHttpRoute, 'Create', `Created HTTPRoute for RayService ${told}`),
        failed: warning(
          Event.FailedToCreateHttpRoute,
          'Create',
          `Failed to create the HTTPRoute for RayService ${told}:`,
        ),
        isOptional: true,
      },
    ];
  }
  if (!isOwn(state.uid, live)) return [leftAlone(Event.FailedToUpdateHttpRoute, `HTTPRoute ${told}`)];
  const object = alignHttpRoute(live, wanted);
  return object === undefined ? [] : updateRoute(state, live, object);
}

/** The clusters that take traffic, with their shares. */
export function backendsOf({ active, pending }: ServiceState): readonly Backend[] {
  const backends = [backendOf(active, 100), backendOf(pending, 0)].filter((backend) => backend !== undefined);
  // Whoever is alone has everything, whatever was written down while there were two.
  return backends.length === 1 ? backends.map((backend) => ({ ...backend, weight: 100 })) : backends;
}

function backendOf({ view, name, status }: AssignedCluster, weight: number): Backend | undefined {
  if (view === undefined) return undefined;
  const service = serviceNames.serve(name);
  return { service, port: servePortOf(view.cluster), weight: status.trafficRoutedPercent ?? weight };
}
