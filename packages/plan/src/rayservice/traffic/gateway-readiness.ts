import { isConditionTrue, isGatewayReady, isHttpRouteReady, serviceNames } from '@manta/api';
import type { Gateway, HttpRoute } from '../observed.ts';
import { fullName, type ServiceState } from '../service-state.ts';
import { adoptedRoute } from './adopted-route.ts';

/** How long a Gateway controller may take before a missing answer is reported as a problem. */
const GRACE_MS = 60_000;

/** Why an incremental upgrade cannot move traffic. */
export interface GatewayProblem {
  readonly why: string;
  /** The Gateway controller itself reports the problem in a condition. */
  readonly isReported: boolean;
  /** How much longer the problem may still resolve itself; 0: warn about it. */
  readonly graceMs: number;
}

/** Whether the Gateway is programmed and has accepted the route. */
export function isGatewayRoutingReady(state: ServiceState): boolean {
  const { gatewayApi } = state;
  if (gatewayApi.kind !== 'available') return false;
  const { gateway, route } = gatewayApi;
  if (adoptedRoute(state) !== undefined) return isAcceptedByAnyGateway(route);
  return isGatewayReady(gateway) && isHttpRouteReady(route, gateway);
}

/** The problem of the Gateway and the route that the operator created. A user's own route is the user's responsibility. */
export function gatewayProblem(state: ServiceState): GatewayProblem | undefined {
  const { gatewayApi, strategy } = state;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'available') return undefined;
  if (isGatewayRoutingReady(state)) return undefined;
  const { gateway, route } = gatewayApi;
  if (adoptedRoute(state) !== undefined || gateway === undefined) return undefined;
  if (!isGatewayReady(gateway)) {
    const reported = negativeMessage(gateway.status?.conditions);
    const why = reported ?? `is there a controller for the class ${strategy.options.gatewayClassName}?`;
    const name = fullName(state, serviceNames.gateway(state.name));
    return {
      why: `the Gateway ${name} is not programmed: ${why}`,
      isReported: reported !== undefined,
      graceMs: graceLeftMs(state, gateway, gateway.status?.conditions),
    };
  }
  if (route === undefined) return undefined;
  const parents = route.status?.parents ?? [];
  const reported = parents.map(({ conditions }) => negativeMessage(conditions)).find((each) => each !== undefined);
  const name = fullName(state, serviceNames.httpRoute(state.name));
  return {
    why: `no Gateway has taken the HTTPRoute ${name}${reported === undefined ? '' : `: ${reported}`}`,
    isReported: reported !== undefined,
    graceMs: graceLeftMs(
      state,
      route,
      parents.flatMap(({ conditions = [] }) => conditions),
    ),
  };
}

/** Whether a Gateway that the user chose has accepted the route and resolved its backends. */
function isAcceptedByAnyGateway(route: HttpRoute | undefined): boolean {
  return (route?.status?.parents ?? []).some(
    ({ conditions }) => isConditionTrue(conditions, 'Accepted') && isConditionTrue(conditions, 'ResolvedRefs'),
  );
}

type Conditions = NonNullable<Gateway['status']>['conditions'];

/** The message of a condition that is False; a controller that has not decided yet reports Unknown. */
function negativeMessage(conditions: Conditions): string | undefined {
  return conditions?.find(({ status, message = '' }) => status === 'False' && message !== '')?.message;
}

/**
 * Counts from the creation of the object or the last change of a negative condition. Clocks differ by a little; a time that lies further
 * ahead comes from a clock that was set back, and is ignored.
 */
function graceLeftMs({ now }: ServiceState, { metadata }: Gateway | HttpRoute, conditions: Conditions): number {
  const negative = (conditions ?? []).filter(({ status }) => status !== 'True').map((each) => each.lastTransitionTime);
  const times = [metadata?.creationTimestamp, ...negative].map((time) => Date.parse(time ?? ''));
  const leftMs = Math.max(...times.filter((ms) => !Number.isNaN(ms))) + GRACE_MS - now;
  return leftMs > 0 && leftMs < 2 * GRACE_MS ? Math.min(leftMs, GRACE_MS) : 0;
}
