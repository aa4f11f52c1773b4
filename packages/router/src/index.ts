export type { AttemptLimits } from './proxy/call.ts';
export type { Observer } from './proxy/forward.ts';
export { createProxy, type Proxy, type ProxyOptions } from './proxy/proxy.ts';
export type * from './proxy/route-table.ts';
