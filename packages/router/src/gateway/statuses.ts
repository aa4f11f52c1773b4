import type { ParentVerdict } from './build-routes.ts';
import type { GatewayVerdict } from './gateway-draft.ts';
import {
  CONTROLLER_NAME,
  type GatewayStatus,
  type HttpRoute,
  type ParentRef,
  type RouteParentStatus,
} from './kinds.ts';
import { areSaid, mergeConditions } from './verdict.ts';

/** What is to be written to a Gateway's status; undefined where it says so already. */
export function gatewayStatus(
  held: GatewayStatus | undefined,
  verdict: GatewayVerdict,
  addresses: GatewayStatus['addresses'],
  now: string,
): GatewayStatus | undefined {
  const fresh: GatewayStatus = {
    ...(addresses === undefined ? {} : { addresses }),
    conditions: mergeConditions(held?.conditions, verdict.conditions, now),
    listeners: verdict.listeners.map(({ name, attachedRoutes, supportedKinds, conditions }) => ({
      name,
      attachedRoutes,
      supportedKinds,
      conditions: mergeConditions(held?.listeners?.find((one) => one.name === name)?.conditions, conditions, now),
    })),
  };
  return isSaidByGateway(held, fresh, verdict) ? undefined : fresh;
}

/** What is to be written to a route's status; undefined where it says so already. What other routers have written stays. */
export function routeStatus(
  held: HttpRoute['status'],
  verdicts: readonly ParentVerdict[],
  now: string,
): NonNullable<HttpRoute['status']> | undefined {
  const parents = held?.parents ?? [];
  const isOurs = ({ controllerName }: RouteParentStatus) => controllerName === CONTROLLER_NAME;
  const before = (ref: ParentRef) => parents.find((one) => isOurs(one) && isSameParent(one.parentRef, ref));
  const isSaid =
    parents.filter(isOurs).length === verdicts.length &&
    verdicts.every(({ parentRef, conditions }) => areSaid(before(parentRef)?.conditions, conditions));
  if (isSaid) return undefined;
  const fresh = verdicts.map(({ parentRef, conditions }) => ({
    parentRef,
    controllerName: CONTROLLER_NAME,
    conditions: mergeConditions(before(parentRef)?.conditions, conditions, now),
  }));
  return { parents: [...parents.filter((one) => !isOurs(one)), ...fresh] };
}

function isSaidByGateway(held: GatewayStatus | undefined, fresh: GatewayStatus, verdict: GatewayVerdict): boolean {
  if (JSON.stringify(held?.addresses ?? []) !== JSON.stringify(fresh.addresses ?? held?.addresses ?? [])) return false;
  if (!areSaid(held?.conditions, verdict.conditions)) return false;
  if (held?.listeners?.length !== verdict.listeners.length) return false;
  return verdict.listeners.every((listener) => {
    const before = held.listeners?.find(({ name }) => name === listener.name);
    return before?.attachedRoutes === listener.attachedRoutes && areSaid(before.conditions, listener.conditions);
  });
}

function isSameParent(a: ParentRef, b: ParentRef): boolean {
  return (
    a.name === b.name &&
    a.namespace === b.namespace &&
    a.sectionName === b.sectionName &&
    a.port === b.port &&
    (a.kind ?? 'Gateway') === (b.kind ?? 'Gateway')
  );
}
