import { defaultFeatureGates, readOperatorEnv } from '@manta/api';
import { type FakeHead, fakeSend } from '@manta/ray/testing';
import { createMetricsRegistry, type EventInput, silentLogger } from '@manta/runtime';
import { type FakeClient, type FakeClock, seededRandom } from '@manta/runtime/testing';
import { createRayAccess } from '../controllers/ray-access.ts';
import { createRayJobController } from '../controllers/rayjob.ts';
import { NO_JOB_METRICS } from '../controllers/rayjob-metrics.ts';
import { parseKubernetesYaml } from '../kubernetes-yaml.ts';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createRayJobCache } from '../observe/rayjob-cache.ts';
import { createSubmitterPods } from '../observe/submitter-pods.ts';

export interface RayJobStage {
  readonly clock: FakeClock;
  readonly client: FakeClient;
  /** Receives emitted events. */
  readonly events: EventInput[];
  /** The fake head at an address, if any. */
  readonly headAt: (origin: string) => FakeHead | undefined;
}

/** The RayJob controller with its caches, as a process of its own would run it, until it is aborted. */
export function runRayJobController({ clock, client, events, headAt }: RayJobStage): AbortController {
  const stop = new AbortController();
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayClusterCache(world, { namespaces: [], hasClaims: false, hasRoutes: false });
  const jobs = createRayJobCache(world, []);
  const submitterPods = createSubmitterPods(world, []);
  const send = fakeSend(clock, headAt);
  const ray = createRayAccess(world, { cache, send, clusterDomain: 'cluster.local', throughApiServer: false });
  const controller = createRayJobController(world, {
    ...ray,
    context: { env: readOperatorEnv({}), gates: defaultFeatureGates(), operatorVersion: '0.1.0', podDefaults: {} },
    cache,
    jobs,
    submitterPods,
    events: { event: (input) => void events.push(input) },
    parseYaml: parseKubernetesYaml,
    concurrency: 2,
    metrics: NO_JOB_METRICS,
  });
  ray.tell('rayjob', controller);
  stop.signal.addEventListener('abort', () => ray.poller.close());
  for (const informer of [jobs, submitterPods, ...requiredInformers(cache), ...optionalInformers(cache)])
    void informer.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
  return stop;
}
