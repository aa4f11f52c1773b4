import type { ResourceName } from '../../object/resource-info.ts';
import type { Api } from '../../api.ts';
import { StatusError } from '../../status/status-error.ts';
import type { NewObject, Revision, StopWatch, Store, StoreEvent, StoreKey } from '../../store/contract.ts';
import { History } from '../../store/history.ts';
import { SortedTable } from '../../store/sorted-table.ts';
import type { StoredObject } from '../../object/stored-object.ts';

/**
 * A second API server in front of the same storage whose view may fall behind: gets, lists and watches come from the state it has
 * seen so far, writes go to the storage. A client that is moved to it travels back in time.
 */
export interface Replica {
  /** The API as this replica serves it; make a client of it. */
  readonly api: Api;
  readonly revision: Revision;
  /** Stops replication until `advance` or `release`. */
  hold(): void;
  /** Replicates up to `revision`; default everything. */
  advance(revision?: Revision): void;
  /** Learns everything, and from now on at once. */
  release(): void;
  close(): void;
}

/** A replica that is up to date. */
export function createReplica(api: Api): Replica {
  const store = new ReplicaStore(api.store, [...new Set(api.registry.all().map(({ storedAs }) => storedAs))]);
  return {
    api: { ...api, store },
    get revision() {
      return store.revision;
    },
    hold: () => store.setHeld(true),
    advance: (revision) => store.advance(revision),
    release: () => store.setHeld(false),
    close: () => store.close(),
  };
}

interface Watcher {
  readonly resource: ResourceName | undefined;
  readonly listener: (event: StoreEvent) => void;
  readonly from: Revision;
}

class ReplicaStore implements Store {
  readonly #primary: Store;
  readonly #tables = new Map<ResourceName, SortedTable>();
  readonly #history: History;
  readonly #unlearned: StoreEvent[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #stop: StopWatch;
  #revision: Revision;
  #isHeld = false;

  constructor(primary: Store, resources: readonly ResourceName[]) {
    this.#primary = primary;
    this.#revision = primary.revision;
    this.#history = new History({ events: 100_000, bytes: Number.POSITIVE_INFINITY }, primary.revision);
    for (const resource of resources) {
      for (const object of primary.list(resource)) this.#put(resource, object);
    }
    this.#stop = primary.watch(primary.revision, (event) => {
      this.#unlearned.push(event);
      if (!this.#isHeld) this.advance();
    });
  }

  get revision(): Revision {
    return this.#revision;
  }

  get compactedRevision(): Revision {
    return Math.min(this.#revision, Math.max(this.#history.compactedRevision, this.#primary.compactedRevision));
  }

  setHeld(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld) this.advance();
  }

  advance(to: Revision = Number.POSITIVE_INFINITY): void {
    while ((this.#unlearned[0]?.revision ?? Number.POSITIVE_INFINITY) <= to) {
      const event = this.#unlearned.shift();
      if (event === undefined) return;
      this.#learn(event);
    }
  }

  get({ resource, namespace, name }: StoreKey): StoredObject | undefined {
    return this.#tables.get(resource)?.get(namespace, name);
  }

  list(
    resource: ResourceName,
    options: { readonly namespace?: string; readonly at?: Revision } = {},
  ): readonly StoredObject[] {
    if (options.at !== undefined && options.at < this.#revision) return this.#primary.list(resource, options);
    return this.#tables.get(resource)?.list(options.namespace) ?? [];
  }

  create(key: StoreKey, object: NewObject, hidden?: string): StoredObject {
    return this.#primary.create(key, object, hidden);
  }

  update(key: StoreKey, object: NewObject, expected?: Revision, hidden?: string): StoredObject {
    return this.#primary.update(key, object, expected, hidden);
  }

  delete(key: StoreKey, expected?: Revision): StoredObject {
    return this.#primary.delete(key, expected);
  }

  watch(from: Revision, listener: (event: StoreEvent) => void, resource?: ResourceName): StopWatch {
    if (from < this.compactedRevision) throw new StatusError(410, 'Expired', `too old resource version: ${from}`);
    const watcher = { resource, listener, from };
    for (const event of this.#history.after(from)) tell(watcher, event);
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  compact(revision: Revision): void {
    this.#primary.compact(revision);
  }

  close(): void {
    this.#stop();
    this.#watchers.clear();
  }

  #learn(event: StoreEvent): void {
    this.#revision = event.revision;
    this.#history.append(event, 0);
    const { resource, namespace, name } = event.key;
    if (event.type === 'DELETED') this.#tables.get(resource)?.delete(namespace, name);
    else this.#put(resource, event.object);
    for (const watcher of this.#watchers) tell(watcher, event);
  }

  #put(resource: ResourceName, object: StoredObject): void {
    const table = this.#tables.get(resource) ?? new SortedTable();
    this.#tables.set(resource, table);
    table.set(object.metadata.namespace ?? '', object.metadata.name, object);
  }
}

/** A client with a newer revision than this replica gets no events until the replica has caught up. */
function tell({ resource, listener, from }: Watcher, event: StoreEvent): void {
  if (event.revision > from && (resource === undefined || resource === event.key.resource)) listener(event);
}
