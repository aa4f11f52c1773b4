import type { ResourceName } from '../object/resource-info.ts';
import type { StoredObject } from '../object/stored-object.ts';

/** Where an object lies; `namespace` is empty for cluster-scoped kinds. */
export interface StoreKey {
  readonly resource: ResourceName;
  readonly namespace: string;
  readonly name: string;
}

/** A number that grows by one with every write to anything; written into objects as `resourceVersion`. */
export type Revision = number;

/** One write, as watchers and the simulation's invariants see it. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: StoreKey;
  readonly revision: Revision;
  /** After the write; for DELETED the last state, with the deletion's revision as its resourceVersion. */
  readonly object: StoredObject;
  /** Before the write; absent for ADDED. */
  readonly before?: StoredObject;
}

/**
 * Versioned objects. Every method is synchronous: a write is in memory (and in the journal, where there is one) when it returns, and
 * watchers are told in the same order in which revisions were given out. Objects handed out are frozen and never copied.
 */
export interface Store {
  readonly revision: Revision;
  /** The oldest revision from which a watch can still start. */
  readonly compactedRevision: Revision;
  get(key: StoreKey): StoredObject | undefined;
  /** Ordered by namespace, then name, as etcd would. `at` reads an older revision while history reaches back to it, else throws `Gone`. */
  list(
    resource: ResourceName,
    options?: { readonly namespace?: string; readonly at?: Revision },
  ): readonly StoredObject[];
  /**
   * Fails with `AlreadyExists`. The store sets `resourceVersion`; everything else is the caller's. `hidden` names what an object is
   * stored with and shown without; none unless told.
   */
  create(key: StoreKey, object: NewObject, hidden?: string): StoredObject;
  /**
   * Fails with `NotFound`, or `Conflict` when `expected` is not the stored revision. Writes nothing when nothing changed, of what is hidden
   * neither.
   */
  update(key: StoreKey, object: NewObject, expected?: Revision, hidden?: string): StoredObject;
  /** Removes at once: finalizers and grace periods are decided above. */
  delete(key: StoreKey, expected?: Revision): StoredObject;
  /** Delivers every event after `from`, oldest first; throws `Gone` when history does not reach back that far. */
  watch(from: Revision, listener: (event: StoreEvent) => void, resource?: ResourceName): StopWatch;
  /** Forgets history up to and including `revision`. */
  compact(revision: Revision): void;
  close(): void;
}

/** An object to store: its resourceVersion is ignored. */
export type NewObject = Omit<StoredObject, 'metadata'> & {
  readonly metadata: Omit<StoredObject['metadata'], 'resourceVersion'>;
};

export type StopWatch = () => void;
