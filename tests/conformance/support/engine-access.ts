import { startTestEngine } from '@manta/engine/testing';
import { ApiError } from '@manta/kube';
import type { Cluster } from '../../../packages/engine/src/controllers/cluster.ts';
import { startController } from '../../../packages/engine/src/controllers/controller.ts';
import { garbageCollector } from '../../../packages/engine/src/controllers/gc/garbage-collector.ts';
import { jobController } from '../../../packages/engine/src/controllers/job/job-controller.ts';
import { namespaceDefaults } from '../../../packages/engine/src/controllers/namespace/namespace-defaults.ts';
import { namespaceDeletion } from '../../../packages/engine/src/controllers/namespace/namespace-deletion.ts';
import { endpointSliceController } from '../../../packages/engine/src/controllers/service/endpoint-slices.ts';
import { createInProcessClient } from '../../../packages/engine/src/server/in-process-client.ts';
import type { ServerAccess } from './http-target.ts';

/** The embedded server with its controllers, as the suite wants it. */
export interface ConformanceEngine {
  readonly access: ServerAccess;
  /** Faults of the engine itself; there should be none. */
  readonly internalErrors: readonly unknown[];
  stop(): Promise<void>;
}

/** Starts the embedded server and Kubernetes' own controllers on it. */
export async function startConformanceEngine(): Promise<ConformanceEngine> {
  const engine = await startTestEngine();
  const cluster: Cluster = {
    world: engine.api.world,
    store: engine.api.store,
    writes: createInProcessClient(engine.api, {
      userAgent: 'kube-controller-manager/v1.36',
      toError: (call, status) => new ApiError(call, status?.code ?? 500, status?.message ?? '', status),
    }),
    resources: () => engine.api.registry.all().map(({ info }) => info),
  };
  const controllers = [
    namespaceDefaults(cluster, { rootCa: engine.ca.cert }),
    namespaceDeletion(cluster),
    garbageCollector(cluster),
    jobController(cluster),
    endpointSliceController(cluster),
  ];
  const stops = controllers.map((controller) => startController(cluster, controller));
  return {
    access: {
      name: 'engine',
      url: engine.url,
      caCert: engine.ca.cert,
      forget: async (version) => engine.api.store.compact(version),
      issue: ({ name, groups = [] }) => engine.ca.issue({ commonName: name, organizations: groups }),
    },
    internalErrors: engine.internalErrors,
    stop: async () => {
      for (const stop of stops) stop();
      await engine.stop();
    },
  };
}
