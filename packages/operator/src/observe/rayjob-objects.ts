import { Label, NodeType, OriginCrd, type RayCluster, type RayJob, serviceNames } from '@manta/api';
import { isNotFound, type KubeClient, type ObjectRef, type ResourceType, resources } from '@manta/kube';
import {
  clusterNameOf,
  type JobRecord,
  jobRecord,
  originKey,
  type ObservedRayJob,
  type OrphanedCluster,
  ownPods,
  podRecord,
  type PodRecord,
  type ServiceRecord,
  serviceRecord,
} from '@manta/plan';
import { Interner, type ObjectKey, type ReconcileContext, refOf, toKey } from '@manta/runtime';
import type { RayClusterCache } from './ray-cluster-cache.ts';
import type { RayJobCache } from './rayjob-cache.ts';
import { type SubmitterPods, troubledPodOf } from './submitter-pods.ts';

/** The Kubernetes objects of one RayJob. */
export interface RayJobObjects {
  readonly job: RayJob;
  readonly cluster: RayCluster | undefined;
  readonly heads: readonly PodRecord[];
  readonly blockedPods: readonly PodRecord[];
  readonly podCount: number;
  readonly submitter: JobRecord | undefined;
  readonly submitterPod: ObservedRayJob['submitterPod'];
  readonly headService: ServiceRecord | undefined;
  readonly orphanedClusters: readonly OrphanedCluster[];
}

export interface RayJobObjectSources {
  readonly cache: RayClusterCache;
  readonly jobs: RayJobCache;
  readonly submitterPods: SubmitterPods;
  readonly client: KubeClient;
}

/** The objects of a job, from the caches or, with `live` freshness, from the API server; undefined if the job does not exist. */
export async function rayJobObjects(
  sources: RayJobObjectSources,
  { key, freshness, signal }: Pick<ReconcileContext, 'key' | 'freshness' | 'signal'>,
): Promise<RayJobObjects | undefined> {
  // Listed before the job is read, see `orphansOf`.
  const clusters = clustersLabelledFor(sources.cache, key);
  const objects = freshness === 'cached' ? cachedObjects(sources, key) : await liveObjects(sources.client, key, signal);
  if (objects === undefined) return undefined;
  return {
    ...objects,
    submitterPod: troubledPodOf(sources.submitterPods, key, objects.submitter),
    orphanedClusters: orphansOf(clusters, objects.job),
  };
}

type Objects = Omit<RayJobObjects, 'orphanedClusters' | 'submitterPod'>;

function cachedObjects({ cache, jobs }: RayJobObjectSources, key: ObjectKey): Objects | undefined {
  const job = jobs.get(key);
  if (job === undefined) return undefined;
  const { namespace = '', name } = refOf(key);
  const clusterName = clusterNameOf(job);
  const clusterKey = clusterName === undefined ? undefined : toKey(namespace, clusterName);
  const cluster = clusterKey === undefined ? undefined : cache.clusters.get(clusterKey);
  const pods = clusterKey === undefined ? [] : cache.pods.by('cluster', clusterKey);
  return {
    job,
    cluster,
    ...podsOf(cluster, pods),
    submitter: cache.jobs.get(key),
    headService: cache.services.get(toKey(namespace, serviceNames.head(name))),
  };
}

async function liveObjects(client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Objects | undefined> {
  const { namespace = '', name } = refOf(key);
  const read = <T extends object>(type: ResourceType<T>, ref: ObjectRef) =>
    unlessMissing(client.get(type, ref, { signal }));
  const job = await read(resources.rayJobs, { namespace, name });
  if (job === undefined) return undefined;
  const clusterName = clusterNameOf(job);
  const labelSelector = `${Label.Cluster}=${clusterName}`;
  const [cluster, submitter, service, pods] = await Promise.all([
    clusterName === undefined ? undefined : read(resources.rayClusters, { namespace, name: clusterName }),
    read(resources.jobs, { namespace, name }),
    read(resources.services, { namespace, name: serviceNames.head(name) }),
    clusterName === undefined ? undefined : client.list(resources.pods, { namespace, labelSelector, signal }),
  ]);
  const intern = new Interner();
  const records = (pods?.items ?? []).map((pod) => podRecord(pod, intern));
  return {
    job,
    cluster,
    ...podsOf(cluster, records),
    submitter: submitter === undefined ? undefined : jobRecord(submitter),
    headService: service === undefined ? undefined : serviceRecord(service, new Interner()),
  };
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Pods that only carry the cluster's label, without the cluster as their controller, do not count. A deleted cluster's pods are known by label. */
function podsOf(
  cluster: RayCluster | undefined,
  labelled: readonly PodRecord[],
): Pick<RayJobObjects, 'heads' | 'blockedPods' | 'podCount'> {
  const pods = cluster === undefined ? labelled : ownPods({ cluster, pods: labelled });
  return {
    heads: pods.filter(({ nodeType }) => nodeType === NodeType.Head),
    blockedPods: pods.filter(({ trouble, isTerminating }) => trouble !== undefined && !isTerminating),
    podCount: pods.length,
  };
}

/** The clusters whose labels name the job. */
function clustersLabelledFor({ clusters }: Pick<RayClusterCache, 'clusters'>, key: ObjectKey): readonly RayCluster[] {
  const { namespace = '', name } = refOf(key);
  return clusters.by('origin', originKey(OriginCrd.RayJob, namespace, name));
}

/**
 * The job's own clusters that its status does not name: of a former attempt, or created by a request that arrived late. A status names a
 * cluster before the cluster is created, and no name is used twice. So if the job was read after its clusters, each cluster that the status
 * does not name is orphaned. A cached job may be older than its clusters: then the orphan must be confirmed with a live read.
 */
function orphansOf(clusters: readonly RayCluster[], { metadata, status }: RayJob): readonly OrphanedCluster[] {
  return clusters.flatMap(({ metadata: each = {} }) => {
    const owner = each.ownerReferences?.find(({ controller }) => controller === true);
    const isOrphaned = owner?.uid === metadata?.uid && each.name !== status?.rayClusterName;
    return isOrphaned && each.deletionTimestamp === undefined
      ? [{ name: each.name ?? '', uid: each.uid ?? '', owner: owner?.uid }]
      : [];
  });
}
