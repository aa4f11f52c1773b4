import type { ObjectKey } from './object-key.ts';

/** The values under which a record is found in an index; must depend on the record alone. */
export type IndexFunction<R> = (record: R) => readonly string[];

const NO_KEYS: ReadonlySet<ObjectKey> = new Set();
const NO_VALUES: readonly string[] = [];

/** Finds keys by a value computed from their records, kept up to date change by change. */
export class IndexBy<R> {
  readonly #valuesOf: IndexFunction<R>;
  readonly #keys = new Map<string, Set<ObjectKey>>();

  constructor(valuesOf: IndexFunction<R>) {
    this.#valuesOf = valuesOf;
  }

  /** The keys whose records have this value. The set is live: copy it before changing the store. */
  keys(value: string): ReadonlySet<ObjectKey> {
    return this.#keys.get(value) ?? NO_KEYS;
  }

  /** Moves a key from where its old record stood to where the new one stands. */
  update(key: ObjectKey, before: R | undefined, after: R | undefined): void {
    const old = before === undefined ? NO_VALUES : this.#valuesOf(before);
    const fresh = after === undefined ? NO_VALUES : this.#valuesOf(after);
    for (const value of old) if (!fresh.includes(value)) this.#remove(value, key);
    for (const value of fresh) this.#add(value, key);
  }

  #add(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, new Set([key]));
    else keys.add(key);
  }

  #remove(value: string, key: ObjectKey): void {
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value);
  }
}
