import { NodeType } from '@manta/api';
import { predecessorOf } from '@manta/plan';
import type { ObjectKey } from '@manta/runtime';
import type { RayClusterCache } from './ray-cluster-cache.ts';

/**
 * Returns a function that reports whether the caches have shown a new head of this cluster since this call. A plan that took long, because
 * the API server was slow, must not create its head if another operator has created one meanwhile: that head may already be deleted, its
 * name free, and its successor being created.
 */
export function watchForNewHead(cache: Pick<RayClusterCache, 'clusters' | 'pods'>, key: ObjectKey): () => boolean {
  const known = headUids(cache, key);
  const whose = successionOf(cache, key);
  return () => successionOf(cache, key) !== whose || headUids(cache, key).some((uid) => !known.includes(uid));
}

/** Identifies the cluster and the predecessor of its next head. */
function successionOf({ clusters }: Pick<RayClusterCache, 'clusters'>, key: ObjectKey): string {
  const { metadata, status } = clusters.get(key) ?? {};
  return `${metadata?.uid} ${predecessorOf(status)}`;
}

function headUids({ pods }: Pick<RayClusterCache, 'pods'>, key: ObjectKey): readonly string[] {
  return pods.by('cluster', key).flatMap(({ nodeType, uid }) => (nodeType === NodeType.Head ? [uid] : []));
}
