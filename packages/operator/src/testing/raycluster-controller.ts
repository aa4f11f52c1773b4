import { defaultFeatureGates, readOperatorEnv } from '@manta/api';
import { type FakeHead, fakeSend } from '@manta/ray/testing';
import { createMetricsRegistry, type EventInput, silentLogger } from '@manta/runtime';
import { type FakeClient, type FakeClock, seededRandom } from '@manta/runtime/testing';
import { createRayAccess } from '../controllers/ray-access.ts';
import { createRayClusterController } from '../controllers/raycluster.ts';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createRayNodeLists } from '../observe/ray-node-lists.ts';

export interface RayClusterStage {
  readonly clock: FakeClock;
  readonly client: FakeClient;
  /** Receives emitted events. */
  readonly events: EventInput[];
  /** The fake head at an address. */
  readonly headAt: (origin: string) => FakeHead;
}

/** The RayCluster controller with its caches, as a process of its own would run it, until it is aborted. */
export function runRayClusterController({ clock, client, events, headAt }: RayClusterStage): AbortController {
  const stop = new AbortController();
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const send = fakeSend(clock, headAt);
  const ray = createRayAccess(world, { cache, send, clusterDomain: 'cluster.local', throughApiServer: false });
  const controller = createRayClusterController(world, {
    context: { env: readOperatorEnv({}), gates: defaultFeatureGates(), operatorVersion: '0.1.0', podDefaults: {} },
    facts: {
      kubernetes: [1, 36, 0],
      gitVersion: 'v1.36.0',
      isOpenShift: false,
      hasCertManager: false,
      workloadSchedulingVersion: undefined,
    },
    events: { event: (input) => void events.push(input) },
    cache,
    concurrency: 4,
    nodes: createRayNodeLists({ ...ray, throughApiServer: false }),
  });
  ray.tell('raycluster', controller);
  for (const informer of [...requiredInformers(cache), ...optionalInformers(cache)]) void informer.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
  return stop;
}
