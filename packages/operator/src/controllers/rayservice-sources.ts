import { Label, OriginCrd, type RayService } from '@manta/api';
import { adoptedRoute, type ServiceRecord } from '@manta/plan';
import {
  anyOf,
  changes,
  fromInformer,
  type Informer,
  keyOf,
  namespaceOf,
  type ObjectKey,
  owner,
  type Source,
  toKey,
  urgentWhen,
} from '@manta/runtime';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { RayServiceCache } from '../observe/rayservice-cache.ts';

const SERVICE = { group: 'ray.io', kind: 'RayService' };

/** Changes that trigger the reconcile of a RayService: of the service itself, its clusters, pods, Services, endpoints and routes. */
export function rayServiceSources(cache: RayClusterCache, serviceCache: RayServiceCache): readonly Source[] {
  const ofCluster = (cluster: ObjectKey) => serviceOf(cache, cluster);
  const ofService = ({ labels }: Pick<ServiceRecord, 'labels'>, namespace: string | undefined) => {
    if (labels[Label.OriginatedFromCrd] !== OriginCrd.RayService) return [];
    const of = toKey(namespace, labels[Label.OriginatedFromCrName] ?? '');
    return [of, ...ofCluster(of)];
  };
  return [
    fromInformer(serviceCache.rayServices, {
      when: specOrMetadataChanged,
      priority: urgentWhen(specOrMetadataChanged),
    }),
    fromInformer(cache.clusters, { keys: owner(SERVICE, ({ metadata }) => metadata?.ownerReferences) }),
    fromInformer(cache.pods, { keys: ({ namespace, cluster }) => ofCluster(toKey(namespace, cluster)) }),
    fromInformer(cache.services, {
      keys: (service, key) => ofService(service, namespaceOf(key)),
    }),
    // An EndpointSlice names only its Service. The Service's labels name the RayService, even after the cluster was deleted.
    fromInformer(serviceCache.endpointSlices, {
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
    ...[serviceCache.gateways, serviceCache.httpRoutes].flatMap((informer) =>
      informer === undefined ? [] : [routing(informer, serviceCache.rayServices)],
    ),
  ];
}

/** Gateways and HTTPRoutes of services: their own, and adopted routes of users. */
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

/** The RayService that a cluster was created for. */
function serviceOf({ clusters }: RayClusterCache, cluster: ObjectKey): readonly ObjectKey[] {
  const { metadata } = clusters.get(cluster) ?? {};
  if (metadata?.labels?.[Label.OriginatedFromCrd] !== OriginCrd.RayService) return [];
  return [toKey(metadata.namespace ?? '', metadata.labels[Label.OriginatedFromCrName] ?? '')];
}

/** The operator's own status writes trigger no reconcile. */
const specOrMetadataChanged = anyOf<RayService>(
  changes((service) => service.metadata?.generation),
  changes((service) => service.metadata?.labels),
  changes((service) => service.metadata?.annotations),
  changes((service) => service.metadata?.deletionTimestamp),
  // A status that a user removed is restored: a suspended service would not be requeued otherwise.
  ({ before, after }) => before?.status?.conditions !== undefined && after?.status?.conditions === undefined,
);
