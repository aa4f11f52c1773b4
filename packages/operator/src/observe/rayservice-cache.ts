import type { EndpointSlice, FeatureGates, Node, RayService } from '@manta/api';
import { resources } from '@manta/kube';
import {
  amountsOf,
  type Gateway,
  type HttpRoute,
  type NodeCapacity,
  withoutManagedFields,
  type WrittenKind,
} from '@manta/plan';
import { createInformer, type Informer, type Interner, toKey, type World } from '@manta/runtime';
import { informerOf, type RayClusterCache } from './ray-cluster-cache.ts';

/** Caches that only RayServices need. */
export interface RayServiceCache {
  readonly rayServices: Informer<RayService>;
  readonly endpointSlices: Informer<EndpointRecord, 'service'>;
  /** Only if incremental upgrades are enabled. */
  readonly gateways: Informer<Gateway> | undefined;
  readonly httpRoutes: Informer<HttpRoute> | undefined;
  /** Only if node capacity is checked before upgrades. */
  readonly nodes: Informer<NodeRecord> | undefined;
}

/** The record of a Node; without room no pod can be scheduled on it. */
export interface NodeRecord {
  readonly room: NodeCapacity | undefined;
}

/** The record of an EndpointSlice. */
export interface EndpointRecord {
  /** `namespace/name` of the Service. */
  readonly service: string;
  /** The uids of the pods that are ready. */
  readonly ready: readonly string[];
}

const SERVICE_NAME = 'kubernetes.io/service-name';

export interface RayServiceCacheOptions {
  readonly namespaces: readonly string[];
  readonly gates: FeatureGates;
  /** Whether nodes are watched; default false. */
  readonly hasNodes?: boolean;
}

export function createRayServiceCache(
  world: World,
  { namespaces, gates, hasNodes = false }: RayServiceCacheOptions,
): RayServiceCache {
  const routing = gates.RayServiceIncrementalUpgrade;
  const common = { namespaces, project: withoutManagedFields };
  return {
    rayServices: createInformer(world, { type: resources.rayServices, ...common, project: withoutManagedFields }),
    endpointSlices: createInformer(world, {
      type: resources.endpointSlices,
      namespaces,
      project: endpointRecord,
      indexes: { service: ({ service }) => [service] },
    }),
    gateways: routing
      ? createInformer<Gateway, Gateway>(world, { type: resources.gateways, isForeign: true, ...common })
      : undefined,
    httpRoutes: routing
      ? createInformer<HttpRoute, HttpRoute>(world, {
          type: resources.httpRoutes,
          isForeign: true,
          isSilentWhenAbsent: true,
          ...common,
        })
      : undefined,
    nodes: hasNodes ? createInformer(world, { type: resources.nodes, project: nodeRecord }) : undefined,
  };
}

/** A node that is not ready or is unschedulable has no room. */
export function nodeRecord({ spec, status }: Node): NodeRecord {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  const takesPods = isReady && spec?.unschedulable !== true;
  return { room: takesPods ? { allocatable: amountsOf(status.allocatable ?? {}) } : undefined };
}

/** Only ready pods count; one pod may have several addresses. */
export function endpointRecord({ metadata, endpoints }: EndpointSlice, intern: Interner): EndpointRecord {
  const service = metadata?.labels?.[SERVICE_NAME] ?? '';
  const uids = (endpoints ?? []).flatMap(({ conditions, targetRef }) =>
    conditions?.ready === true && targetRef?.uid !== undefined ? [targetRef.uid] : [],
  );
  return { service: intern.string(toKey(metadata?.namespace ?? '', service)), ready: uids };
}

/** All informers of the cache. */
export function rayServiceInformers(cache: RayServiceCache): readonly Informer[] {
  return [cache.rayServices, cache.endpointSlices, cache.gateways, cache.httpRoutes, cache.nodes].filter(
    (informer) => informer !== undefined,
  );
}

/** The informer that will show a write. */
export function serviceInformerOf(
  clusters: RayClusterCache,
  cache: RayServiceCache,
  kind: WrittenKind,
): Informer | undefined {
  switch (kind) {
    case 'RayService':
      return cache.rayServices;
    case 'Gateway':
      return cache.gateways;
    case 'HTTPRoute':
      return cache.httpRoutes;
    default:
      return informerOf(clusters, kind);
  }
}
