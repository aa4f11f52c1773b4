import { NodeType } from '@manta/api';
import { predecessorOf } from '@manta/plan';
import type { ObjectKey } from '@manta/runtime';
import type { RayClusterCache } from './ray-cluster-cache.ts';

/**
 * Remembers what the caches tell of a cluster's head, and says later whether they have told anything new. A plan that took long to carry
 * out, because an answer was slow, must not make the head that it wanted if another instance has made one meanwhile: it may be gone again,
 * its name free, and its successor under way.
 */
export function headNews(cache: Pick<RayClusterCache, 'clusters' | 'pods'>, key: ObjectKey): () => boolean {
  const known = headUids(cache, key);
  const predecessor = predecessorOf(cache.clusters.get(key)?.status);
  return () =>
    predecessorOf(cache.clusters.get(key)?.status) !== predecessor ||
    headUids(cache, key).some((uid) => !known.includes(uid));
}

function headUids({ pods }: Pick<RayClusterCache, 'pods'>, key: ObjectKey): readonly string[] {
  return pods.by('cluster', key).flatMap(({ nodeType, uid }) => (nodeType === NodeType.Head ? [uid] : []));
}
