import { type ResourceInfo, resourceName, type Store, type StoredObject } from '@manta/apiserver';

/** The remaining objects of one resource in a namespace. */
export interface Content {
  readonly info: ResourceInfo;
  readonly objects: readonly StoredObject[];
}

/** Everything inside a namespace that a user could list and delete, by resource; resources without objects are left out. */
export function contentOf(store: Store, resources: readonly ResourceInfo[], namespace: string): readonly Content[] {
  const seen = new Set<StoredObject>();
  return resources
    .filter(({ isNamespaced, verbs }) => isNamespaced && verbs.includes('list') && verbs.includes('delete'))
    .map((info) => ({ info, objects: notYetCounted(seen, store.list(resourceName(info), { namespace })) }))
    .filter(({ objects }) => objects.length > 0);
}

/** Events are served by two API groups from one storage: they count once. */
function notYetCounted(seen: Set<StoredObject>, objects: readonly StoredObject[]): readonly StoredObject[] {
  const fresh = objects.filter((object) => !seen.has(object));
  for (const object of fresh) seen.add(object);
  return fresh;
}
