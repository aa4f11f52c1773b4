/**
 * A weighted HTTP router that implements Gateway and HTTPRoute: `gateway` reads the objects, `proxy` forwards requests.
 */
export { buildRoutes, type Built } from './gateway/build-routes.ts';
export { gatewayCrds } from './gateway/crds.ts';
export { createGatewayRouter, type GatewayRouter, type GatewayRouterOptions } from './gateway/gateway-router.ts';
export { CONTROLLER_NAME, DEFAULT_CLASS } from './gateway/kinds.ts';
export type { Observed } from './gateway/observed.ts';
export { installCrds as installGatewayCrds } from './gateway/writes.ts';
export type { AttemptLimits } from './proxy/call.ts';
export type { Dial } from './proxy/dial.ts';
export { type Trust, trustNetworks } from './proxy/forwarded.ts';
export type { Observer } from './proxy/forward.ts';
export { createProxy, type Proxy, type ProxyOptions } from './proxy/proxy.ts';
export type * from './proxy/route-table.ts';
export { type RouterOptions, type RouterParts, runRouter } from './run-router.ts';
export { ROUTER_RULES } from './permissions.ts';
