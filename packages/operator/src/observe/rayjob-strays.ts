import { OriginCrd, type RayCluster, type RayJob } from '@manta/api';
import type { Stray } from '@manta/plan';
import { originKey } from './child-records.ts';
import type { RayClusterCache } from './ray-cluster-cache.ts';

/**
 * Clusters that were made for a job and that its status does not name: of an attempt that is over, made by an operator that did not know
 * it yet, or by a request that arrived late. A status names a cluster before it is made, and no name comes twice, so of a job that was
 * read after its clusters every cluster that is not named is a stray. A copy of the job may be older than that.
 */
export function straysOf(clusters: readonly RayCluster[], { metadata, status }: RayJob): readonly Stray[] {
  return clusters.flatMap(({ metadata: each = {} }) => {
    const owner = each.ownerReferences?.find(({ controller }) => controller === true);
    const isStray = owner?.uid === metadata?.uid && each.name !== status?.rayClusterName;
    return isStray && each.deletionTimestamp === undefined
      ? [{ name: each.name ?? '', uid: each.uid ?? '', owner: owner?.uid }]
      : [];
  });
}

/** The clusters whose labels name the job. */
export function clustersFor({ clusters }: Pick<RayClusterCache, 'clusters'>, { metadata }: RayJob) {
  return clusters.by('origin', originKey(OriginCrd.RayJob, metadata?.namespace ?? '', metadata?.name ?? ''));
}
