import { commonHostnames } from './hostnames.ts';
import { type Gateway, GATEWAY_GROUP, type HttpRoute, type Listener, type ParentRef } from './kinds.ts';
import { isServed } from './listener-tls.ts';

/** One listener of a Gateway that takes a route, and the hosts it takes it for. */
export interface Attachment {
  readonly listener: Listener;
  readonly hostnames: readonly (string | undefined)[];
}

/** The listeners that accept a route, or the Gateway API's reason and our message why none does. */
export type Attaching =
  | { readonly kind: 'attached'; readonly attachments: readonly Attachment[] }
  | {
      readonly kind: 'refused';
      readonly reason: 'NoMatchingParent' | 'NotAllowedByListeners' | 'NoMatchingListenerHostname';
      readonly message: string;
    };

/** The Gateway that a reference names, as `namespace/name`; undefined where it names something else. */
export function parentKey({ group, kind, namespace, name }: ParentRef, routeNamespace: string): string | undefined {
  if ((group ?? GATEWAY_GROUP) !== GATEWAY_GROUP || (kind ?? 'Gateway') !== 'Gateway') return undefined;
  return `${namespace ?? routeNamespace}/${name ?? ''}`;
}

/** Tries a route on the listeners of the Gateway that `ref` names. */
export function attachRoute(route: HttpRoute, ref: ParentRef, gateway: Gateway): Attaching {
  const listeners = (gateway.spec?.listeners ?? []).filter(
    ({ name, port }) =>
      (ref.sectionName === undefined || ref.sectionName === name) && (ref.port === undefined || ref.port === port),
  );
  if (listeners.length === 0)
    return { kind: 'refused', reason: 'NoMatchingParent', message: 'the Gateway has no such listener' };
  const allowing = listeners.filter((listener) => isServed(listener) && isAllowed(listener, route, gateway));
  if (allowing.length === 0)
    return {
      kind: 'refused',
      reason: 'NotAllowedByListeners',
      message: 'no listener of the Gateway allows this route',
    };
  const attachments = allowing.flatMap((listener) => {
    const hostnames = commonHostnames(listener.hostname, route.spec?.hostnames ?? []);
    return hostnames.length === 0 ? [] : [{ listener, hostnames }];
  });
  if (attachments.length > 0) return { kind: 'attached', attachments };
  const message = 'the hostnames of the route fit those of no listener';
  return { kind: 'refused', reason: 'NoMatchingListenerHostname', message };
}

/** Routes of a namespace that a selector would have to find are not allowed: we do not watch namespaces. */
function isAllowed(listener: Listener, route: HttpRoute, gateway: Gateway): boolean {
  const from = listener.allowedRoutes?.namespaces?.from ?? 'Same';
  const isNear = from === 'All' || (from === 'Same' && route.metadata?.namespace === gateway.metadata?.namespace);
  return isNear && takesHttpRoutes(listener);
}

/** Whether HTTPRoutes are among what a listener wants, as they are where it says nothing. */
export function takesHttpRoutes({ allowedRoutes }: Listener): boolean {
  const kinds = allowedRoutes?.kinds ?? [];
  return kinds.length === 0 || kinds.some(isHttpRoute);
}

/** Route kinds that a listener allows but the router does not support. */
export function strangeKinds({ allowedRoutes }: Listener): readonly string[] {
  return (allowedRoutes?.kinds ?? []).filter((one) => !isHttpRoute(one)).map(({ kind = '' }) => kind);
}

function isHttpRoute({ group = GATEWAY_GROUP, kind }: { readonly group?: string; readonly kind?: string }): boolean {
  return group === GATEWAY_GROUP && kind === 'HTTPRoute';
}
