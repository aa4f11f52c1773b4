import { IndexBy, type IndexFunction } from './index-by.ts';
import { namespaceOf, type ObjectKey } from './object-key.ts';

/** A stored object: its record, and the uid that distinguishes it from other objects of the same name. */
export interface Entry<R> {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly record: R;
}

/** One difference in a store's content: no `before` is an addition, no `after` a removal. */
export interface Change<R> {
  readonly key: ObjectKey;
  readonly before?: R;
  readonly after?: R;
}

/** Records by key, with indexes. Returned records are shared, not copied: callers must not modify them. */
export class Store<R, I extends string = never> {
  readonly #entries = new Map<ObjectKey, Entry<R>>();
  readonly #indexes = new Map<string, IndexBy<R>>();

  constructor(indexes: Readonly<Record<I, IndexFunction<R>>>) {
    for (const [name, valuesOf] of Object.entries<IndexFunction<R>>(indexes)) {
      this.#indexes.set(name, new IndexBy(valuesOf));
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: ObjectKey): R | undefined {
    return this.#entries.get(key)?.record;
  }

  entry(key: ObjectKey): Entry<R> | undefined {
    return this.#entries.get(key);
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#entries.keys();
  }

  *records(): Generator<R> {
    for (const entry of this.#entries.values()) yield entry.record;
  }

  /** The records that an index holds under `value`, in no particular order. */
  by(index: I, value: string): readonly R[] {
    const found: R[] = [];
    for (const key of this.#indexes.get(index)?.keys(value) ?? []) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) found.push(entry.record);
    }
    return found;
  }

  /**
   * Adds or replaces; the version that is already here changes nothing. Any other version is taken, also an older one: a server
   * restored from a backup goes back in time. A new life under an old name is a removal and an addition.
   */
  put(key: ObjectKey, entry: Entry<R>): readonly Change<R>[] {
    const old = this.#entries.get(key);
    if (old?.uid === entry.uid && old.resourceVersion === entry.resourceVersion) return [];
    this.#set(key, old, entry);
    if (old === undefined) return [{ key, after: entry.record }];
    if (old.uid === entry.uid) return [{ key, before: old.record, after: entry.record }];
    return [
      { key, before: old.record },
      { key, after: entry.record },
    ];
  }

  remove(key: ObjectKey): readonly Change<R>[] {
    const old = this.#entries.get(key);
    if (old === undefined) return [];
    this.#set(key, old, undefined);
    return [{ key, before: old.record }];
  }

  /**
   * Makes `fresh` the whole content of a namespace (absent: of everything) in one step, and returns what that changed, removals
   * first. Entries that are already here in the same version stay as they are.
   */
  replace(namespace: string | undefined, fresh: ReadonlyMap<ObjectKey, Entry<R>>): readonly Change<R>[] {
    const changes: Change<R>[] = [];
    for (const key of this.#entries.keys()) {
      const isInScope = namespace === undefined || namespaceOf(key) === namespace;
      if (isInScope && !fresh.has(key)) changes.push(...this.remove(key));
    }
    for (const [key, entry] of fresh) {
      for (const change of this.put(key, entry)) changes.push(change);
    }
    return changes;
  }

  #set(key: ObjectKey, before: Entry<R> | undefined, after: Entry<R> | undefined): void {
    if (after === undefined) this.#entries.delete(key);
    else this.#entries.set(key, after);
    for (const index of this.#indexes.values()) index.update(key, before?.record, after?.record);
  }
}
