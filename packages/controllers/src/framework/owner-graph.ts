import type { StoreEvent, StoreKey, StoredObject } from '@manta/apiserver';

/** Who depends on whom, by uid, kept up to date from the store's writes. */
export class OwnerGraph {
  readonly #dependents = new Map<string, Map<string, StoreKey>>();
  readonly #keys = new Map<string, StoreKey>();

  follow({ type, key, object, before }: StoreEvent): void {
    const { uid } = object.metadata;
    for (const owner of ownersOf(before)) this.#dependents.get(owner.uid)?.delete(uid);
    for (const owner of ownersOf(object)) this.#dependents.get(owner.uid)?.delete(uid);
    if (type === 'DELETED') {
      this.#keys.delete(uid);
      this.#prune(object);
      return;
    }
    this.#keys.set(uid, key);
    for (const owner of ownersOf(object)) this.#of(owner.uid).set(uid, key);
  }

  /** The objects that name this one as an owner, in the order in which they came. */
  dependentsOf(uid: string): readonly StoreKey[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** Where the object with this uid lies. */
  find(uid: string): StoreKey | undefined {
    return this.#keys.get(uid);
  }

  #of(owner: string): Map<string, StoreKey> {
    let dependents = this.#dependents.get(owner);
    if (dependents === undefined) {
      dependents = new Map();
      this.#dependents.set(owner, dependents);
    }
    return dependents;
  }

  #prune(object: StoredObject): void {
    for (const { uid } of ownersOf(object)) {
      if (this.#dependents.get(uid)?.size === 0) this.#dependents.delete(uid);
    }
  }
}

/** The owner references of an object that may be absent. */
export function ownersOf(object: StoredObject | undefined): NonNullable<StoredObject['metadata']['ownerReferences']> {
  return object?.metadata.ownerReferences ?? [];
}
