import type { RayKind } from '../live/api.ts';
import { type LiveObjects, rayObjects } from '../live/store.ts';

const KINDS: readonly RayKind[] = ['RayService', 'RayCronJob', 'RayJob', 'RayCluster'];

/** What garbage collection deletes with an object: `RayCluster train-x`, then the number of pods. */
export function deletedWith(objects: LiveObjects, uid: string): readonly string[] {
  const names: string[] = [];
  const uids = [uid];
  for (const owner of uids)
    for (const kind of KINDS)
      for (const { metadata } of rayObjects(objects, kind))
        if (metadata?.uid !== undefined && isOwnedBy(metadata, owner)) {
          uids.push(metadata.uid);
          names.push(`${kind} ${metadata.name ?? ''}`);
        }
  const pods = [...objects.Pod.values()].filter(({ metadata }) => uids.some((owner) => isOwnedBy(metadata, owner)));
  return pods.length === 0 ? names : [...names, `${pods.length} ${pods.length === 1 ? 'pod' : 'pods'}`];
}

function isOwnedBy(
  metadata: { readonly ownerReferences?: readonly { readonly uid: string }[] } | undefined,
  uid: string,
): boolean {
  return metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true;
}
