/**
 * The web console's server: logs a viewer in, streams what that viewer may see, and passes requests to the API server with the viewer's
 * own identity. Its own account fills the caches, which every viewer sees through access reviews, finds heads of clusters that a viewer may
 * see, and impersonates users whom a provider or a proxy has identified.
 */
export type * from './protocol.ts';
export { STREAMED_KINDS } from './protocol.ts';
export { type ConsoleOptions, type RunningConsole, startConsole } from './start-console.ts';
export { dialPod, forwardToPod, type HeadDial } from './ray-dashboard/head-dial.ts';
export { checkOidcOptions, type OidcOptions } from './identity/oidc.ts';
export { checkProxySecret, type TrustedHeaderOptions } from './identity/trusted-header.ts';
