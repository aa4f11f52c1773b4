import { Label, OriginCrd, type RayCluster, type RayService, type Service, serviceNames } from '@manta/api';
import { isNotFound, type KubeClient, resources } from '@manta/kube';
import {
  adoptedRoute,
  type GatewayApi,
  isOwn,
  type NodeCapacity,
  originKey,
  ownPods,
  podRecord,
  type PodRecord,
} from '@manta/plan';
import { Interner, type ObjectKey, type ReconcileContext, refOf, toKey } from '@manta/runtime';
import { OUR_PODS } from './ray-cluster-cache.ts';
import type { EndpointRecord, RayServiceCache } from './rayservice-cache.ts';
import { type RayServiceObservation, UNASKED } from './rayservice-heads.ts';
import type { RayServiceObserver } from './rayservice-observer.ts';

interface Core {
  readonly service: RayService;
  readonly clusters: readonly RayCluster[];
  readonly podsOf: (cluster: string) => readonly PodRecord[];
  readonly services: ReadonlyMap<string, Service>;
  readonly endpoints: ReadonlyMap<string, number>;
  readonly gatewayApi: GatewayApi;
}

/** Everything that is known about a service without asking Ray; undefined if the service does not exist. */
export async function observeRayService(
  observer: RayServiceObserver,
  { key, freshness, signal }: Pick<ReconcileContext, 'key' | 'freshness' | 'signal'>,
): Promise<RayServiceObservation | undefined> {
  const core = freshness === 'cached' ? await cached(observer, key, signal) : await live(observer, key, signal);
  if (core === undefined) return undefined;
  const { service, podsOf } = core;
  const clusters = core.clusters
    .filter((cluster) => isOwn(service.metadata?.uid ?? '', cluster))
    .map((cluster) => {
      const pods = ownPods({ cluster, pods: podsOf(cluster.metadata?.name ?? '') });
      return { cluster, pods, ...UNASKED };
    });
  const { services, endpoints, gatewayApi } = core;
  return {
    now: observer.now(),
    service,
    context: observer.context,
    clusters,
    kubeServices: services,
    endpoints,
    gatewayApi,
    serveConfig: observer.configs.of(key, service.spec?.serveConfigV2 ?? ''),
    nodes: nodesOf(observer.serviceCache),
  };
}

/** Undefined while nodes cannot be read: then capacity is not checked. */
function nodesOf({ nodes }: RayServiceCache): readonly NodeCapacity[] | undefined {
  if (nodes?.isReady() !== true) return undefined;
  return [...nodes.records()].flatMap(({ room }) => (room === undefined ? [] : [room]));
}

async function cached(observer: RayServiceObserver, key: ObjectKey, signal: AbortSignal): Promise<Core | undefined> {
  const { cache, serviceCache: own } = observer;
  const service = own.rayServices.get(key);
  if (service === undefined) return undefined;
  const { namespace = '', name } = refOf(key);
  const origin = originKey(OriginCrd.RayService, namespace, name);
  const clusters = cache.clusters.by('origin', origin);
  const services = new Map(
    cache.services.by('origin', origin).flatMap(({ name: each, service: whole }) => (whole ? [[each, whole]] : [])),
  );
  for (const wanted of wantedNames(service, clusters)) {
    const record = cache.services.get(toKey(namespace, wanted));
    if (record === undefined || services.has(wanted)) continue;
    // A Service of another owner: the cache keeps only a part of it.
    const whole = record.service ?? (await read(observer.client, namespace, wanted, signal));
    if (whole !== undefined) services.set(wanted, whole);
  }
  return {
    service,
    clusters,
    podsOf: (cluster) => cache.pods.by('cluster', toKey(namespace, cluster)),
    services,
    endpoints: endpointsOf(own, namespace, [...wantedNames(service, clusters)]),
    gatewayApi: gatewayApiOf(own, service),
  };
}

/** The names of all Services that this RayService has or needs. */
function wantedNames(service: RayService, clusters: readonly RayCluster[]): ReadonlySet<string> {
  const { name = '' } = service.metadata ?? {};
  return new Set([
    serviceNames.head(name),
    serviceNames.serve(name),
    serviceNames.serve(name, service.spec?.serveService?.metadata?.name),
    ...clusters.map((cluster) => serviceNames.serve(cluster.metadata?.name ?? '')),
  ]);
}

function endpointsOf(
  { endpointSlices }: RayServiceCache,
  namespace: string,
  names: readonly string[],
): ReadonlyMap<string, number> {
  return new Map(names.map((name) => [name, countReady(endpointSlices.by('service', toKey(namespace, name)))]));
}

/** One pod may be in several slices, one for each address family. */
function countReady(slices: readonly EndpointRecord[]): number {
  return new Set(slices.flatMap(({ ready }) => ready)).size;
}

function gatewayApiOf({ gateways, httpRoutes }: RayServiceCache, service: RayService): GatewayApi {
  const { namespace = '', name = '' } = service.metadata ?? {};
  if (gateways === undefined || httpRoutes === undefined) return { kind: 'disabled' };
  for (const informer of [gateways, httpRoutes]) {
    const { phase, troubles } = informer.status();
    if (phase === 'absent' || phase === 'forbidden') {
      return { kind: 'missing', why: `${informer.type.kind}: ${troubles[0]?.message ?? phase}` };
    }
  }
  return {
    kind: 'available',
    gateway: gateways.get(toKey(namespace, serviceNames.gateway(name))),
    route: httpRoutes.get(toKey(namespace, adoptedRoute({ service }) ?? serviceNames.httpRoute(name))),
  };
}

async function read(
  client: KubeClient,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Service | undefined> {
  try {
    return await client.get(resources.services, { namespace, name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Reads from the API server, because the cache has not shown the operator's own writes in time. */
async function live(observer: RayServiceObserver, key: ObjectKey, signal: AbortSignal): Promise<Core | undefined> {
  const { client } = observer;
  const base = await cached(observer, key, signal);
  const { namespace = '', name } = refOf(key);
  try {
    const labelSelector = `${Label.OriginatedFromCrd}=${OriginCrd.RayService},${Label.OriginatedFromCrName}=${name}`;
    const [service, clusters, pods, services] = await Promise.all([
      client.get(resources.rayServices, { namespace, name }, { signal }),
      client.list(resources.rayClusters, { namespace, labelSelector, signal }),
      client.list(resources.pods, { namespace, labelSelector: OUR_PODS, signal }),
      client.list(resources.services, { namespace, signal }),
    ]);
    const intern = new Interner();
    const records = pods.items.map((pod) => podRecord(pod, intern));
    const wanted = wantedNames(service, clusters.items);
    const isOurs = ({ metadata }: Service) =>
      wanted.has(metadata?.name ?? '') || metadata?.labels?.[Label.OriginatedFromCrName] === name;
    return {
      service,
      clusters: clusters.items,
      podsOf: (cluster) => records.filter((record) => record.cluster === cluster),
      services: new Map(services.items.filter(isOurs).map((each) => [each.metadata?.name ?? '', each])),
      endpoints: base?.endpoints ?? new Map(),
      gatewayApi: base?.gatewayApi ?? { kind: 'disabled' },
    };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
