/**
 * Runs pods as processes on this machine. `startPods` brings up the pod network, one node and its kubelet, and returns the backend that
 * answers logs, exec, attach and port-forward. A sandbox driver isolates pods: with Linux namespaces (`startNamespaceDriver`) or
 * without (`startPlainDriver`). `@manta/kubelet/supervisor` is the program inside the namespaces; it imports nothing else of the engine.
 */

export { createImageTable, type ImageTableOptions, type RayOfVersion } from './environment/images.ts';
export { type LoopbackAccess, openLoopbackAccess } from './network/loopback-access.ts';
export type { DashboardLink } from './network/dashboards.ts';
export type { WantedCapacity } from './node/capacity.ts';
export { PLAIN_GATEWAY, startPlainDriver } from './plain/plain-driver.ts';
export type { SandboxMode } from './sandbox/choose-driver.ts';
export { POD_GATEWAY, startNamespaceDriver } from './sandbox/namespace-driver.ts';
export type { Mount, ProcessRequest, Sandbox, SandboxDriver } from './sandbox/sandbox.ts';
export { startPods, type LocalPods } from './start-pods.ts';
export type { PodsContext, RunningPods } from './pods-context.ts';
