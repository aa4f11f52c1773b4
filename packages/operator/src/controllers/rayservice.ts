import { Label, OriginCrd, type RayService, type YamlParser } from '@manta/api';
import {
  adoptedRoute,
  EMPTY_SERVICE_MEMORY,
  type BuildContext,
  type PlanOutcome,
  planRayService,
  type RayAction,
  type ServiceMemory,
  type ServiceRecord,
} from '@manta/plan';
import type { RayHead } from '@manta/ray';
import {
  anyOf,
  type Controller,
  changes,
  createController,
  done,
  type EventRecorder,
  fromInformer,
  type Informer,
  keyOf,
  namespaceOf,
  type ObjectKey,
  owner,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type Source,
  toKey,
  urgentWhen,
  type World,
} from '@manta/runtime';
import { act } from '../act/act.ts';
import type { Actor } from '../act/actor.ts';
import { writeStatus } from '../act/write-status.ts';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';
import { observeRayService } from '../observe/rayservice.ts';
import { type RayServiceCache, serviceInformerOf } from '../observe/rayservice-cache.ts';
import { ownerOf, type RayServiceObserver } from '../observe/rayservice-observer.ts';
import { ServeConfigs } from '../observe/parsed-serve-configs.ts';
import type { YamlOffLoop } from '../yaml-process.ts';
import type { RayAccess } from './ray-access.ts';

export interface RayServiceControllerOptions {
  readonly context: BuildContext;
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly services: RayServiceCache;
  readonly ray: Pick<RayAccess, 'heads' | 'poller' | 'throughApiServer'>;
  readonly parseYaml: YamlParser;
  /** Parses long texts; absent: `parseYaml` does. */
  readonly yamlOffLoop?: YamlOffLoop | undefined;
  readonly concurrency: number;
}

/** Observe, plan, act, and write down how it stands: for RayServices. */
export function createRayServiceController(world: World, options: RayServiceControllerOptions): Controller {
  const { cache, services, events, ray, context } = options;
  const { poller } = ray;
  const memories = new Map<ObjectKey, ServiceMemory>();
  const configs = new ServeConfigs({
    parseYaml: options.parseYaml,
    offLoop: options.yamlOffLoop,
    onParsed: (key) => controller.enqueue(key),
  });
  const observer: RayServiceObserver = {
    ...ray,
    cache,
    services,
    client: world.client,
    context,
    configs,
    memories,
    now: () => world.clock.now(),
  };

  async function reconcile(key: ObjectKey, pass: ReconcileContext): Promise<ReconcileResult> {
    const observation = await observeRayService(observer, pass);
    if (observation === undefined) {
      poller.forget(ownerOf(key));
      memories.delete(key);
      configs.forget(key);
      return done;
    }
    const { observed, heads } = observation;
    const plan = planRayService(observed, memories.get(key) ?? EMPTY_SERVICE_MEMORY);
    memories.set(key, plan.memory);
    for (const id of plan.settled) poller.settle(ownerOf(key), id);
    const actor: Actor = {
      client: world.client,
      clock: world.clock,
      kind: 'RayService',
      object: observed.service,
      events,
      context: pass,
      informerOf: (kind) => serviceInformerOf(cache, services, kind),
      askRay: (action) => submit(heads.get(action.cluster), ownerOf(key), action),
    };
    const outcome = await act(plan.actions, actor);
    if (outcome.kind === 'failed') throw new PlanFailed(outcome);
    if (outcome.kind === 'waiting' && outcome.requeueAfterMs !== undefined) {
      pass.log.info('Waiting', { reason: outcome.message });
      return requeueAfter(outcome.requeueAfterMs);
    }
    if (plan.status !== undefined) {
      await writeStatus(actor, observed.service.status, plan.status);
      // What the status now says is what the next pass goes on from.
      return requeueAfter(0);
    }
    return plan.requeueAfterMs === undefined ? done : requeueAfter(plan.requeueAfterMs);
  }

  /** Hands a configuration to a head, without waiting for what becomes of it. */
  function submit(head: RayHead | undefined, by: string, { id, command }: RayAction): void {
    if (head === undefined || command.kind !== 'put-serve') return;
    poller.perform(head, { kind: 'put-serve', config: JSON.parse(command.config) }, { owner: by, id });
  }

  const controller = createController(world, {
    name: 'rayservice',
    kind: 'RayService',
    concurrency: options.concurrency,
    required: [services.rayServices, services.endpointSlices, cache.clusters, cache.pods, cache.services],
    optional: [services.gateways, services.httpRoutes, services.nodes].filter((informer) => informer !== undefined),
    sources: sourcesOf(cache, services),
    reconcile,
  });
  return controller;
}

/** A plan that could not be carried out to its end; the key comes back later. */
class PlanFailed extends Error {
  override readonly name = 'PlanFailed';

  constructor(outcome: Extract<PlanOutcome, { kind: 'failed' }>) {
    super(outcome.message);
  }
}

const SERVICE = { group: 'ray.io', kind: 'RayService' };

function sourcesOf(cache: RayClusterCache, services: RayServiceCache): readonly Source[] {
  const ofCluster = (cluster: ObjectKey) => serviceOf(cache, cluster);
  const ofService = ({ labels }: Pick<ServiceRecord, 'labels'>, namespace: string | undefined) => {
    if (labels[Label.OriginatedFromCrd] !== OriginCrd.RayService) return [];
    const of = toKey(namespace, labels[Label.OriginatedFromCrName] ?? '');
    return [of, ...ofCluster(of)];
  };
  return [
    fromInformer(services.rayServices, {
      when: specOrMetadataChanged,
      priority: urgentWhen(specOrMetadataChanged),
    }),
    fromInformer(cache.clusters, { keys: owner(SERVICE, ({ metadata }) => metadata?.ownerReferences) }),
    fromInformer(cache.pods, { keys: ({ namespace, cluster }) => ofCluster(toKey(namespace, cluster)) }),
    fromInformer(cache.services, {
      keys: (service, key) => ofService(service, namespaceOf(key)),
    }),
    // A Service says whose it is, also when the cluster that it led to is gone; a slice only which Service it belongs to.
    fromInformer(services.endpointSlices, {
      keys: ({ service }) => {
        const record = cache.services.get(service);
        if (record === undefined) return [];
        const { selectsCluster: cluster } = record;
        const namespace = namespaceOf(service);
        return [
          ...ofService(record, namespace),
          ...(cluster === undefined ? [] : ofCluster(toKey(namespace, cluster))),
        ];
      },
    }),
    ...[services.gateways, services.httpRoutes].flatMap((informer) =>
      informer === undefined ? [] : [routing(informer, services.rayServices)],
    ),
  ];
}

/** Gateways and routes of services: their own, and those of users that they share their traffic in. */
function routing(
  informer: Informer<{ readonly metadata?: RayService['metadata'] }>,
  rayServices: Informer<RayService>,
): Source {
  const owners = owner<{ readonly metadata?: RayService['metadata'] }>(
    SERVICE,
    ({ metadata }) => metadata?.ownerReferences,
  );
  return fromInformer(informer, {
    keys: (object, key) => {
      const adopters = [...rayServices.records()].filter((service) => {
        const route = adoptedRoute({ service });
        return route !== undefined && toKey(service.metadata?.namespace ?? '', route) === key;
      });
      return [...owners(object, key), ...adopters.map(keyOf)];
    },
  });
}

/** The service that a cluster was made for. */
function serviceOf({ clusters }: RayClusterCache, cluster: ObjectKey): readonly ObjectKey[] {
  const { metadata } = clusters.get(cluster) ?? {};
  if (metadata?.labels?.[Label.OriginatedFromCrd] !== OriginCrd.RayService) return [];
  return [toKey(metadata.namespace ?? '', metadata.labels[Label.OriginatedFromCrName] ?? '')];
}

/** Our own status writes are no news. */
const specOrMetadataChanged = anyOf<RayService>(
  changes((service) => service.metadata?.generation),
  changes((service) => service.metadata?.labels),
  changes((service) => service.metadata?.annotations),
  changes((service) => service.metadata?.deletionTimestamp),
  // A status that somebody has taken away is written anew; a suspended service is not looked at again by itself.
  ({ before, after }) => before?.status?.conditions !== undefined && after?.status?.conditions === undefined,
);
