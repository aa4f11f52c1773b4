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
  const whose = successionOf(cache, key);
  return () => successionOf(cache, key) !== whose || headUids(cache, key).some((uid) => !known.includes(uid));
}

/** Which cluster of that name it is, and whose place its next head takes. */
function successionOf({ clusters }: Pick<RayClusterCache, 'clusters'>, key: ObjectKey): string {
  const { metadata, status } = clusters.get(key) ?? {};
  return `${metadata?.uid} ${predecessorOf(status)}`;
}

function headUids({ pods }: Pick<RayClusterCache, 'pods'>, key: ObjectKey): readonly string[] {
  return pods.by('cluster', key).flatMap(({ nodeType, uid }) => (nodeType === NodeType.Head ? [uid] : []));
}
