import type { Cluster } from './framework/cluster.ts';
import { type Controller, type StopController, startController } from './framework/controller.ts';
import { garbageCollector } from './gc/garbage-collector.ts';
import { jobController } from './job/job-controller.ts';
import { namespaceDefaults } from './namespace/namespace-defaults.ts';
import { namespaceDeletion } from './namespace/namespace-deletion.ts';
import { nodeLifecycle } from './node/node-lifecycle.ts';
import { podEviction } from './node/pod-eviction.ts';
import { disruptionController } from './pdb/disruption-controller.ts';
import { quotaStatus } from './quota/quota-status.ts';
import { scheduler } from './scheduler/scheduler.ts';
import { endpointSliceController } from './service/endpoint-slices.ts';
import { endpointsController } from './service/endpoints.ts';
import { volumeProtection } from './volume/volume-protection.ts';

/** Kubernetes' own controllers, by name. */
export const CONTROLLERS = {
  disruption: disruptionController,
  'endpoint-slices': endpointSliceController,
  endpoints: endpointsController,
  'garbage-collector': garbageCollector,
  job: jobController,
  'namespace-deletion': namespaceDeletion,
  'node-lifecycle': nodeLifecycle,
  'pod-eviction': podEviction,
  'quota-status': quotaStatus,
  scheduler,
  'volume-protection': volumeProtection,
} as const satisfies Readonly<Record<string, (cluster: Cluster) => Controller>>;

export type ControllerName = keyof typeof CONTROLLERS | 'namespace-defaults';

export interface ControllersOptions {
  /** The certificate, as PEM, that pods may trust the API by. */
  readonly rootCa: string;
  /** Controllers to leave out. */
  readonly without?: readonly ControllerName[];
}

/** Starts Kubernetes' own controllers on a cluster, one worker each; the returned function stops them all. */
export function startControllers(cluster: Cluster, { rootCa, without = [] }: ControllersOptions): StopController {
  const makers: readonly [string, (cluster: Cluster) => Controller][] = [
    ...Object.entries(CONTROLLERS),
    ['namespace-defaults', (on) => namespaceDefaults(on, { rootCa })],
  ];
  const stops = makers
    .filter(([name]) => !without.some((left) => left === name))
    .map(([, make]) => startController(cluster, make(cluster)));
  return () => {
    for (const stop of stops) stop();
  };
}
