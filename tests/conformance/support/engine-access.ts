import { type Cluster, startControllers } from '@manta/controllers';
import { type Api, createInProcessClient } from '@manta/apiserver';
import { startTestEngine } from '@manta/apiserver/testing';
import { ApiError } from '@manta/kube';
import type { ServerAccess } from './http-target.ts';

/** The embedded server with its controllers, as the suite wants it. */
export interface ConformanceEngine {
  readonly access: ServerAccess;
  readonly api: Api;
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
  // The real control plane of the suite has no scheduler either: pods stay where a case puts them.
  const stopControllers = startControllers(cluster, { rootCa: engine.ca.cert, without: ['scheduler'] });
  return {
    api: engine.api,
    access: {
      name: 'engine',
      url: engine.url,
      caCert: engine.ca.cert,
      forget: async (version) => engine.api.store.compact(version),
      issue: ({ name, groups = [] }) => engine.ca.issue({ commonName: name, organizations: groups }),
    },
    internalErrors: engine.internalErrors,
    stop: async () => {
      stopControllers();
      await engine.stop();
    },
  };
}
