import { randomBytes } from 'node:crypto';
import { clusterObjectNames, Label, NodeType, serviceNames } from '@manta/api';
import { isNotFound, type KubeClient, resources } from '@manta/kube';
import {
  AUTH_TOKEN_BYTES,
  type BuildContext,
  type NamedRecord,
  type ObservedChildren,
  type ObservedRayCluster,
  ownServiceAccount,
  podRecord,
  serviceRecord,
  spareIngressName,
  spareObjectName,
} from '@manta/plan';
import { type Informer, Interner, type ObjectKey, type ReconcileContext, refOf, toKey } from '@manta/runtime';
import type { FailingPods } from './failing-pods.ts';
import { gangRecords } from './gang-cache.ts';
import type { LastHolders } from './last-holders.ts';
import { OUR_PODS, type RayClusterCache } from './ray-cluster-cache.ts';
import { missingRequiredPermissions, unreadableKinds } from './unreadable-kinds.ts';

/** What observing needs besides the key. */
export interface RayClusterObserver {
  readonly cache: RayClusterCache;
  readonly client: KubeClient;
  readonly lastHolders: LastHolders;
  readonly failingPods: Pick<FailingPods, 'backoffs'>;
  readonly context: BuildContext;
  readonly installed: ObservedRayCluster['installed'];
  readonly now: () => number;
}

const NOT_ASKED: ObservedRayCluster['rayNodes'] = new Map();

type Core = Pick<ObservedRayCluster, 'cluster' | 'pods'> & { readonly services: ObservedChildren['services'] };

/** Everything a decision about this cluster needs; undefined if the cluster does not exist. */
export async function observeRayCluster(
  observer: RayClusterObserver,
  { key, freshness, signal }: Pick<ReconcileContext, 'key' | 'freshness' | 'signal'>,
): Promise<ObservedRayCluster | undefined> {
  // Taken before the server is asked: later ones are not missing in its answer.
  const shown = freshness === 'cached' ? [] : observer.cache.pods.by('cluster', key);
  const core = freshness === 'cached' ? cached(observer.cache, key) : await live(observer.client, key, signal);
  if (core === undefined) return undefined;
  const { cluster, pods, services } = core;
  const { namespace = '' } = cluster.metadata ?? {};
  if (shown.length > 0) observer.lastHolders.gone(withoutThose(shown, pods));
  return {
    now: observer.now(),
    cluster,
    pods,
    children: { ...otherChildren(observer.cache, key, cluster), services },
    context: observer.context,
    installed: observer.installed,
    tokenBytes: randomBytes(AUTH_TOKEN_BYTES),
    lastHolders: observer.lastHolders.of(key, cluster.metadata?.uid ?? ''),
    backoffs: observer.failingPods.backoffs(cluster),
    missingPermissions: missingRequiredPermissions(observer.cache, namespace),
    unreadable: unreadableKinds(observer.cache, namespace),
    gang: gangRecords(observer.cache.gangs, key),
    rayNodes: NOT_ASKED,
  };
}

function withoutThose(
  shown: ObservedRayCluster['pods'],
  there: ObservedRayCluster['pods'],
): ObservedRayCluster['pods'] {
  const uids = new Set(there.map(({ uid }) => uid));
  return shown.filter(({ uid }) => !uids.has(uid));
}

function cached(cache: RayClusterCache, key: ObjectKey): Core | undefined {
  const cluster = cache.clusters.get(key);
  if (cluster === undefined) return undefined;
  return { cluster, pods: cache.pods.by('cluster', key), services: cache.services.by('cluster', key) };
}

/** The cache has not shown our own writes in time, so what matters is read from the server itself. */
async function live(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Core | undefined> {
  try {
    let core = await read(client, key, signal);
    // A head may have been created and deleted between the reads. Then the cluster's status has changed and names the next head.
    for (let tries = 0; tries < MAX_READS && !core.pods.some(isHead); tries += 1) {
      const { metadata } = await client.get(resources.rayClusters, refOf(key), { signal });
      if (metadata?.resourceVersion === core.cluster.metadata?.resourceVersion) break;
      core = await read(client, key, signal);
    }
    return core;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A cluster that changes all the time is taken as it was last. */
const MAX_READS = 3;

function isHead({ nodeType }: ObservedRayCluster['pods'][number]): boolean {
  return nodeType === NodeType.Head;
}

async function read(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Core> {
  const { namespace, name } = refOf(key);
  const selection = { namespace, labelSelector: `${OUR_PODS},${Label.Cluster}=${name}`, signal };
  // The order matters: pods are read after the cluster, so a head that was created meanwhile is seen, and an earlier one has the expected name.
  const cluster = await client.get(resources.rayClusters, { namespace, name }, { signal });
  const [pods, services] = await Promise.all([
    client.list(resources.pods, selection),
    client.list(resources.services, { namespace, signal }),
  ]);
  const intern = new Interner();
  return {
    cluster,
    pods: pods.items.map((pod) => podRecord(pod, intern)),
    services: services.items
      .map((service) => serviceRecord(service, intern))
      .filter(({ belongsTo }) => belongsTo.includes(key)),
  };
}

/** Child objects whose names are derived from the cluster's name; only those are read. */
function otherChildren(
  cache: RayClusterCache,
  key: ObjectKey,
  cluster: ObservedRayCluster['cluster'],
): Omit<ObservedChildren, 'services'> {
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  const find = <R extends NamedRecord>(informer: Informer<R>, ...names: readonly string[]) =>
    names.flatMap((each) => informer.get(toKey(namespace, each)) ?? []);
  const own = cluster.spec === undefined ? undefined : ownServiceAccount(cluster.spec);
  const claim = cluster.spec?.gcsFaultToleranceOptions?.storage?.claimName;
  const spare = [spareObjectName(name)].filter((each) => each !== undefined);
  return {
    serviceAccounts: find(cache.serviceAccounts, clusterObjectNames.serviceAccount(name, own), ...spare),
    roles: find(cache.roles, clusterObjectNames.role(name), ...spare),
    roleBindings: find(cache.roleBindings, clusterObjectNames.roleBinding(name), ...spare),
    secrets: find(cache.secrets, clusterObjectNames.authSecret(name), ...spare),
    ingresses: [serviceNames.ingress(name), spareIngressName(name)].flatMap((each) =>
      each === undefined ? [] : (cache.ingresses.get(toKey(namespace, each)) ?? []),
    ),
    routes: cache.routes?.by('cluster', key) ?? [],
    claims: [cache.claims?.get(toKey(namespace, clusterObjectNames.gcsClaim(name, claim)))].filter(
      (found) => found !== undefined,
    ),
    cleanupJobs: cache.jobs.by('cluster', key),
    budgets: cache.budgets?.by('cluster', key) ?? [],
  };
}
