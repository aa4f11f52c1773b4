import { union } from './field-set.ts';
import { identityText, type Owner, type Owners, ownerId, secondsOf } from './owners.ts';

const MAX_UPDATERS = 10;

/**
 * Keeps the number of managers that update at ten: the oldest of each version are put together as `ancient-changes`, so that an object that
 * everybody writes to does not grow without end.
 */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return owners;
  const oldestFirst = updaters.toSorted(
    ([, a], [, b]) => secondsOf(a) - secondsOf(b) || (identityText(a) < identityText(b) ? -1 : 1),
  );
  return mergeOldest(owners, oldestFirst);
}

function mergeOldest(owners: Owners, oldestFirst: readonly (readonly [string, Owner])[]): Owners {
  const kept = new Map(owners);
  const firstOfVersion = new Map<string, string>();
  let count = oldestFirst.length;
  for (const [id, owner] of oldestFirst) {
    if (count <= MAX_UPDATERS) break;
    const first = firstOfVersion.get(owner.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owner.apiVersion, id);
      continue;
    }
    const bucket = bucketFor(owner);
    const bucketId = ownerId(bucket);
    const known = kept.get(bucketId) ?? kept.get(first);
    if (!kept.has(bucketId)) kept.delete(first);
    kept.delete(id);
    kept.set(bucketId, { ...bucket, fields: known === undefined ? owner.fields : union(known.fields, owner.fields) });
    count--;
  }
  return kept;
}

function bucketFor(owner: Owner): Owner {
  return { ...owner, manager: 'ancient-changes', subresource: '' };
}
