import { RayServiceEventReason as Event, isGatewayReady, isHttpRouteReady, serviceNames } from '@manta/api';
import { alignGateway, buildGateway } from '../../build/gateway.ts';
import { alignHttpRoute, type Backend, buildHttpRoute } from '../../build/http-route.ts';
import { servePortOf } from '../../build/service-services.ts';
import { isOwn, updateOwn } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { adoptedRoute, isTakenByAny, planAdoptedRoute } from './adopted-route.ts';
import type { Gateway, HttpRoute } from '../observed.ts';
import type { Pace } from '../upgrade/strategy.ts';
import { fullName, type Side, type Subject } from '../service-state.ts';
import { deleteObject } from '../suspend.ts';
import { updateRoute } from './update-route.ts';

/** Keeps the Gateway, and the route that shares the traffic out as the status says. */
export function planRouting(subject: Subject, pace: Pace): readonly Action[] {
  const { gatewayApi } = subject;
  if (gatewayApi.kind !== 'there') return [];
  if (adoptedRoute(subject) !== undefined) return planAdoptedRoute(subject, gatewayApi.route, backendsOf(subject));
  return [...planGateway(subject, pace, gatewayApi.gateway), ...planRoute(subject, gatewayApi.route)];
}

/** Removes what an earlier strategy has left, once the serve Service takes the traffic. */
export function dropRouting(subject: Subject): readonly Action[] {
  const { gatewayApi } = subject;
  if (gatewayApi.kind !== 'there') return [];
  const { gateway, route } = gatewayApi;
  const because = ', the upgrade strategy no longer needs it';
  return [
    ...(route === undefined ? [] : deleteObject(subject, 'HTTPRoute', route, because)),
    ...(gateway === undefined ? [] : deleteObject(subject, 'Gateway', gateway, because)),
  ];
}

/** A Gateway that nobody has taken for so long has nobody. */
const GATEWAY_PATIENCE_MS = 60_000;

/** What keeps traffic from being moved in steps. */
export interface RoutingTrouble {
  readonly why: string;
  /** Whoever serves Gateways has said so himself. */
  readonly isTold: boolean;
  /** How long there is still hope that it passes by itself. */
  readonly hopeMs: number;
}

/** Looks at the Gateway and the route that the service has made; a user's own route is the user's business. */
export function routingTrouble(subject: Subject): RoutingTrouble | undefined {
  const { gatewayApi, strategy } = subject;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'there' || isRoutingReady(subject)) return undefined;
  const { gateway, route } = gatewayApi;
  if (adoptedRoute(subject) !== undefined || gateway === undefined) return undefined;
  if (!isGatewayReady(gateway)) {
    const told = refusalOf(gateway.status?.conditions);
    const why = told ?? `is there a controller for the class ${strategy.pace.gatewayClassName}?`;
    const name = fullName(subject, serviceNames.gateway(subject.name));
    const isTold = told !== undefined;
    return {
      why: `the Gateway ${name} is not programmed: ${why}`,
      isTold,
      hopeMs: hope(subject, gateway, gateway.status?.conditions),
    };
  }
  if (route === undefined) return undefined;
  const told = route.status?.parents?.map(({ conditions }) => refusalOf(conditions)).find((each) => each !== undefined);
  const name = fullName(subject, serviceNames.httpRoute(subject.name));
  const why = `no Gateway has taken the HTTPRoute ${name}${told === undefined ? '' : `: ${told}`}`;
  const conditions = route.status?.parents?.flatMap((parent) => parent.conditions ?? []);
  return { why, isTold: told !== undefined, hopeMs: hope(subject, route, conditions) };
}

/** The words of whoever says no; somebody who has not made up his mind says `Unknown`. */
function refusalOf(conditions: Conditions): string | undefined {
  return conditions?.find(({ status, message = '' }) => status === 'False' && message !== '')?.message;
}

type Conditions = NonNullable<Gateway['status']>['conditions'];

/** Counted from when it was made or last said otherwise. Clocks differ by a little; one that has been put back by more says nothing. */
function hope({ now }: Subject, { metadata }: Gateway | HttpRoute, conditions: Conditions): number {
  const said = (conditions ?? []).filter(({ status }) => status !== 'True').map((each) => each.lastTransitionTime);
  const times = [metadata?.creationTimestamp, ...said].map((time) => Date.parse(time ?? ''));
  const leftMs = Math.max(...times.filter((ms) => !Number.isNaN(ms))) + GATEWAY_PATIENCE_MS - now;
  return leftMs > 0 && leftMs < 2 * GATEWAY_PATIENCE_MS ? Math.min(leftMs, GATEWAY_PATIENCE_MS) : 0;
}

/** Whether the Gateway carries traffic and has taken the route. */
export function isRoutingReady(subject: Subject): boolean {
  const { gatewayApi } = subject;
  if (gatewayApi.kind !== 'there') return false;
  const { gateway, route } = gatewayApi;
  if (adoptedRoute(subject) !== undefined) return isTakenByAny(route);
  return isGatewayReady(gateway) && isHttpRouteReady(route, gateway);
}

function planGateway(subject: Subject, pace: Pace, live: Gateway | undefined): readonly Action[] {
  const wanted = buildGateway(subject.service, pace.gatewayClassName);
  const told = fullName(subject, serviceNames.gateway(subject.name));
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
  if (!isOwn(subject.uid, live)) return [leftAlone(Event.FailedToUpdateGateway, `Gateway ${told}`)];
  const object = alignGateway(live, wanted);
  if (object === undefined) return [];
  return updateOwn(subject.uid, 'Gateway', live, object, {
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

function planRoute(subject: Subject, live: HttpRoute | undefined): readonly Action[] {
  const { active, service } = subject;
  if (active.view === undefined) return [];
  const wanted = buildHttpRoute(service, backendsOf(subject));
  const told = fullName(subject, serviceNames.httpRoute(subject.name));
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
  if (!isOwn(subject.uid, live)) return [leftAlone(Event.FailedToUpdateHttpRoute, `HTTPRoute ${told}`)];
  const object = alignHttpRoute(live, wanted);
  return object === undefined ? [] : updateRoute(subject, live, object);
}

/** The clusters that take traffic, with their shares. */
export function backendsOf({ active, pending }: Subject): readonly Backend[] {
  const backends = [backendOf(active, 100), backendOf(pending, 0)].filter((backend) => backend !== undefined);
  // Whoever is alone has everything, whatever was written down while there were two.
  return backends.length === 1 ? backends.map((backend) => ({ ...backend, weight: 100 })) : backends;
}

function backendOf({ view, name, status }: Side, weight: number): Backend | undefined {
  if (view === undefined) return undefined;
  const service = serviceNames.serve(name);
  return { service, port: servePortOf(view.cluster), weight: status.trafficRoutedPercent ?? weight };
}
