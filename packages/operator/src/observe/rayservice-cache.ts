import type { EndpointSlice, FeatureGates, RayService } from '@manta/api';
import { resources } from '@manta/kube';
import type { Gateway, HttpRoute, WrittenKind } from '@manta/plan';
import { createInformer, type Informer, type Interner, toKey, type World } from '@manta/runtime';
import { withoutManagedFields } from './child-records.ts';
import { informerOf, type RayClusterCache } from './ray-cluster-cache.ts';

/** Local copies of what only RayServices need. */
export interface RayServiceCache {
  readonly rayServices: Informer<RayService>;
  readonly endpointSlices: Informer<EndpointRecord, 'service'>;
  /** Only where incremental upgrades are switched on. */
  readonly gateways: Informer<Gateway> | undefined;
  readonly httpRoutes: Informer<HttpRoute> | undefined;
}

/** What is kept of an EndpointSlice. */
export interface EndpointRecord {
  /** `namespace/name` of the Service. */
  readonly service: string;
  /** The uids of the pods that are ready. */
  readonly ready: readonly string[];
}

const SERVICE_NAME = 'kubernetes.io/service-name';

export function createRayServiceCache(
  world: World,
  { namespaces, gates }: { readonly namespaces: readonly string[]; readonly gates: FeatureGates },
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
      ? createInformer<HttpRoute, HttpRoute>(world, { type: resources.httpRoutes, isForeign: true, ...common })
      : undefined,
  };
}

/** Of the endpoints only pods that are ready count; one pod may have several addresses. */
export function endpointRecord({ metadata, endpoints }: EndpointSlice, intern: Interner): EndpointRecord {
  const service = metadata?.labels?.[SERVICE_NAME] ?? '';
  const uids = (endpoints ?? []).flatMap(({ conditions, targetRef }) =>
    conditions?.ready === true && targetRef?.uid !== undefined ? [targetRef.uid] : [],
  );
  return { service: intern.string(toKey(metadata?.namespace ?? '', service)), ready: uids };
}

/** All informers of the cache. */
export function rayServiceInformers(cache: RayServiceCache): readonly Informer[] {
  return [cache.rayServices, cache.endpointSlices, cache.gateways, cache.httpRoutes].filter(
    (informer) => informer !== undefined,
  );
}

/** The informer that will show what was written. */
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
