import type { StoredObject } from '../object/stored-object.ts';

/** The objects of one resource, ordered by `namespace/name` as etcd orders its keys. */
export class SortedTable {
  readonly #objects = new Map<string, StoredObject>();
  /** The keys of `#objects`, sorted. */
  readonly #keys: string[] = [];

  get(namespace: string, name: string): StoredObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  set(namespace: string, name: string, object: StoredObject): void {
    const key = `${namespace}/${name}`;
    if (!this.#objects.has(key)) this.#keys.splice(lowerBound(this.#keys, key), 0, key);
    this.#objects.set(key, object);
  }

  delete(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    if (this.#objects.delete(key)) this.#keys.splice(lowerBound(this.#keys, key), 1);
  }

  /** All objects, or those of one namespace, in order. */
  list(namespace?: string): StoredObject[] {
    // '0' is the character after '/', so the range holds exactly the keys that start with `namespace/`.
    const from = namespace === undefined ? 0 : lowerBound(this.#keys, `${namespace}/`);
    const to = namespace === undefined ? this.#keys.length : lowerBound(this.#keys, `${namespace}0`);
    const found: StoredObject[] = [];
    for (let i = from; i < to; i += 1) {
      const object = this.#objects.get(this.#keys[i] ?? '');
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  copy(): SortedTable {
    const copy = new SortedTable();
    for (const key of this.#keys) {
      const object = this.#objects.get(key);
      if (object === undefined) continue;
      copy.#keys.push(key);
      copy.#objects.set(key, object);
    }
    return copy;
  }
}

/** The first position whose key is not smaller than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
