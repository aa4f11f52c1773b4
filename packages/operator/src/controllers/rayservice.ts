import type { RayServiceStatuses, YamlParser } from '@manta/api';
import {
  type BuildContext,
  EMPTY_SERVICE_MEMORY,
  planRayService,
  type RayAction,
  rayServiceNeeds,
  type RayServiceNeeds,
  type ServiceMemory,
} from '@manta/plan';
import type { RayHead, RayPoller } from '@manta/ray';
import { type Controller, createController, type EventRecorder, type ObjectKey, type World } from '@manta/runtime';
import { ServeConfigs } from '../observe/parsed-serve-configs.ts';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';
import { observeRayService } from '../observe/rayservice.ts';
import { type RayServiceCache, serviceInformerOf } from '../observe/rayservice-cache.ts';
import { readFromHeads, type RayServiceObservation } from '../observe/rayservice-heads.ts';
import { pollerOwner, type RayServiceObserver } from '../observe/rayservice-observer.ts';
import type { KindDefinition } from '../reconcile/kind-definition.ts';
import { createReconciler } from '../reconcile/reconciler.ts';
import type { YamlOffLoop } from '../yaml-process.ts';
import type { RayAccess } from './ray-access.ts';
import { rayServiceSources } from './rayservice-sources.ts';

export interface RayServiceControllerOptions {
  readonly context: BuildContext;
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly serviceCache: RayServiceCache;
  readonly ray: Pick<RayAccess, 'heads' | 'poller' | 'throughApiServer'>;
  readonly parseYaml: YamlParser;
  /** Parses long texts; absent: `parseYaml` does. */
  readonly yamlOffLoop?: YamlOffLoop | undefined;
  readonly concurrency: number;
}

export function createRayServiceController(world: World, options: RayServiceControllerOptions): Controller {
  const { cache, serviceCache } = options;
  const { rayServices, endpointSlices, gateways, httpRoutes, nodes } = serviceCache;
  const configs = new ServeConfigs({
    parseYaml: options.parseYaml,
    offLoop: options.yamlOffLoop,
    onParsed: (key) => controller.enqueue(key),
  });
  const controller = createController(world, {
    name: 'rayservice',
    kind: 'RayService',
    concurrency: options.concurrency,
    required: [rayServices, endpointSlices, cache.clusters, cache.pods, cache.services],
    optional: [gateways, httpRoutes, nodes].filter((informer) => informer !== undefined),
    sources: rayServiceSources(cache, serviceCache),
    reconcile: createReconciler(world, rayServiceDefinition(world, options, configs)),
  });
  return controller;
}

function rayServiceDefinition(
  { client, clock }: World,
  { cache, serviceCache, events, ray, context }: RayServiceControllerOptions,
  configs: ServeConfigs,
): KindDefinition<RayServiceObservation, RayServiceStatuses, ServiceMemory, RayServiceNeeds> {
  const { poller } = ray;
  const observer: RayServiceObserver = {
    ...ray,
    cache,
    serviceCache,
    client,
    context,
    configs,
    now: () => clock.now(),
  };
  return {
    kind: 'RayService',
    events,
    informerOf: (kind) => serviceInformerOf(cache, serviceCache, kind),
    emptyMemory: EMPTY_SERVICE_MEMORY,
    observe: (reconcile) => observeRayService(observer, reconcile),
    objectOf: ({ service }) => service,
    needs: rayServiceNeeds,
    read: (observed, needs, reconcile) => readFromHeads(observer, observed, needs, reconcile),
    plan: planRayService,
    // The status names the clusters: the next decision starts from what was just written.
    requeueAfterStatusMs: (before, after) => (after === before ? undefined : 0),
    askRay: (action, { heads }, key) => sendServeCommand(poller, heads?.get(action.cluster), key, action),
    forget(key) {
      poller.forget(pollerOwner(key));
      configs.forget(key);
    },
  };
}

/** Sends a configuration to a head in the background. */
function sendServeCommand(poller: RayPoller, head: RayHead | undefined, key: ObjectKey, action: RayAction): void {
  const { id, command } = action;
  const owner = pollerOwner(key);
  if (command.kind === 'settle') poller.settle(owner, id);
  if (command.kind !== 'put-serve' || head === undefined) return;
  poller.perform(head, { kind: 'put-serve', config: JSON.parse(command.config) }, { owner, id });
}
