import { API_SERVER_LIMITS } from '@manta/base';
import { deepEqual } from '../object/deep-equal.ts';
import { deepFreeze } from '../object/deep-freeze.ts';
import { bytesOf } from '../object/object-bytes.ts';
import type { ResourceName } from '../object/resource-info.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { NewObject, Revision, StopWatch, Store, StoreEvent, StoreKey } from './contract.ts';
import { History } from './history.ts';
import type { Journal } from './journal.ts';
import { SortedTable } from './sorted-table.ts';

export interface StoreOptions {
  /** How many writes a watch may lag behind before it has to list again; 100,000 unless set. */
  readonly historyLimit?: number;
  /** How many bytes of JSON the objects of these writes may have together; `API_SERVER_LIMITS.historyBytes` unless set. */
  readonly historyBytes?: number;
  /** Absent: the store lives and dies with the process. */
  readonly journal?: Journal;
}

/** Opens a store: empty, or with what its journal holds. */
export function createStore(options: StoreOptions = {}): Store {
  return new MemoryStore(options);
}

class MemoryStore implements Store {
  readonly #tables = new Map<ResourceName, SortedTable>();
  readonly #journal: Journal | undefined;
  readonly #history: History;
  readonly #watchers = new Set<Watcher>();
  /** Events not yet delivered to watchers: a write by a watcher must not overtake the event that is being delivered. */
  readonly #undelivered: StoreEvent[] = [];
  #isDelivering = false;
  /** Of few objects, and forgotten at a restart: it decides no more than whether a write that changes nothing else is one. */
  readonly #hidden = new WeakMap<StoredObject, string>();
  readonly #bytes = new WeakMap<StoredObject, number>();
  #revision: Revision;

  constructor({ historyLimit = 100_000, historyBytes = API_SERVER_LIMITS.historyBytes, journal }: StoreOptions) {
    const kept = journal?.load() ?? { revision: 0, objects: [] };
    for (const { key, object } of kept.objects)
      this.#table(key.resource).set(key.namespace, key.name, deepFreeze(object));
    this.#journal = journal;
    this.#revision = Math.max(kept.revision, 1);
    this.#history = new History({ events: historyLimit, bytes: historyBytes }, this.#revision);
  }

  get revision(): Revision {
    return this.#revision;
  }

  get compactedRevision(): Revision {
    return this.#history.compactedRevision;
  }

  get({ resource, namespace, name }: StoreKey): StoredObject | undefined {
    return this.#tables.get(resource)?.get(namespace, name);
  }

  list(
    resource: ResourceName,
    options: { readonly namespace?: string; readonly at?: Revision } = {},
  ): readonly StoredObject[] {
    const { namespace, at = this.#revision } = options;
    if (at >= this.#revision) return this.#tables.get(resource)?.list(namespace) ?? [];
    this.#requireHistory(at);
    return this.#tableAt(resource, at).list(namespace);
  }

  create(key: StoreKey, object: NewObject, hidden = ''): StoredObject {
    const existing = this.get(key);
    if (existing !== undefined) throw alreadyExists(key, existing);
    return this.#put(key, object, undefined, hidden);
  }

  update(key: StoreKey, object: NewObject, expected?: Revision, hidden = ''): StoredObject {
    const before = this.#expect(key, expected);
    const isSame = deepEqual(withRevision(object, before.metadata.resourceVersion), before);
    if (isSame && hidden === (this.#hidden.get(before) ?? '')) return before;
    return this.#put(key, object, before, hidden);
  }

  delete(key: StoreKey, expected?: Revision): StoredObject {
    const before = this.#expect(key, expected);
    const revision = this.#revision + 1;
    this.#journal?.remove(key, revision);
    this.#revision = revision;
    this.#tables.get(key.resource)?.delete(key.namespace, key.name);
    const object = deepFreeze(withRevision(before, String(revision)));
    // The last state and that before it differ in the revision alone.
    this.#bytes.set(object, this.#sizeOf(before));
    this.#publish({ type: 'DELETED', key, revision, object, before });
    return object;
  }

  watch(from: Revision, listener: (event: StoreEvent) => void, resource?: ResourceName): StopWatch {
    this.#requireHistory(from);
    const watcher: Watcher = { listener, resource, seen: from };
    this.#watchers.add(watcher);
    for (const event of this.#history.after(from)) deliver(watcher, event);
    return () => this.#watchers.delete(watcher);
  }

  compact(revision: Revision): void {
    this.#history.compact(Math.min(revision, this.#revision));
  }

  close(): void {
    this.#watchers.clear();
    this.#journal?.close();
  }

  #put(key: StoreKey, object: NewObject, before: StoredObject | undefined, hidden: string): StoredObject {
    const revision = this.#revision + 1;
    const stored = deepFreeze(withRevision(object, String(revision)));
    requireSize(this.#sizeOf(stored));
    if (hidden !== '') this.#hidden.set(stored, hidden);
    this.#journal?.put(key, stored, revision);
    this.#revision = revision;
    this.#table(key.resource).set(key.namespace, key.name, stored);
    const base = { key, revision, object: stored };
    this.#publish(before === undefined ? { ...base, type: 'ADDED' } : { ...base, type: 'MODIFIED', before });
    return stored;
  }

  #publish(event: StoreEvent): void {
    this.#history.append(event, this.#sizeOf(event.object));
    this.#undelivered.push(event);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#undelivered.shift(); next !== undefined; next = this.#undelivered.shift()) {
        for (const watcher of this.#watchers) deliver(watcher, next);
      }
    } finally {
      this.#isDelivering = false;
    }
  }

  #sizeOf(object: StoredObject): number {
    let size = this.#bytes.get(object);
    if (size === undefined) {
      // The journal needs the same bytes and caches them for responses; without a journal they may never be needed.
      size = this.#journal === undefined ? JSON.stringify(object).length : bytesOf(object).length;
      this.#bytes.set(object, size);
    }
    return size;
  }

  #expect(key: StoreKey, expected: Revision | undefined): StoredObject {
    const before = this.get(key);
    if (before === undefined) throw notFound(key);
    if (expected !== undefined && before.metadata.resourceVersion !== String(expected)) throw conflict(key);
    return before;
  }

  #requireHistory(from: Revision): void {
    if (from < this.compactedRevision) {
      const message = `The resourceVersion for the provided watch is too old: ${from} (oldest ${this.compactedRevision})`;
      throw new StatusError(410, 'Expired', message);
    }
  }

  /** The resource as it was: today's content with every later write undone, newest first. */
  #tableAt(resource: ResourceName, at: Revision): SortedTable {
    const table = this.#tables.get(resource)?.copy() ?? new SortedTable();
    for (const event of this.#history.after(at).toReversed()) {
      if (event.key.resource !== resource) continue;
      const { namespace, name } = event.key;
      if (event.before === undefined) table.delete(namespace, name);
      else table.set(namespace, name, event.before);
    }
    return table;
  }

  #table(resource: ResourceName): SortedTable {
    let table = this.#tables.get(resource);
    if (table === undefined) {
      table = new SortedTable();
      this.#tables.set(resource, table);
    }
    return table;
  }
}

interface Watcher {
  readonly listener: (event: StoreEvent) => void;
  readonly resource: ResourceName | undefined;
  /** The last delivered revision, so that catching up and live events never deliver one twice. */
  seen: Revision;
}

function deliver(watcher: Watcher, event: StoreEvent): void {
  if (event.revision <= watcher.seen) return;
  watcher.seen = event.revision;
  if (watcher.resource === undefined || watcher.resource === event.key.resource) watcher.listener(event);
}

function withRevision(object: NewObject, resourceVersion: string): StoredObject {
  // NewObject is a StoredObject but for the resourceVersion that is added here; the index signature hides that from the compiler.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ...object, metadata: { ...object.metadata, resourceVersion } } as StoredObject;
}

/** Refuses an object that etcd would refuse, in its words and with the size. */
function requireSize(size: number): void {
  const limit = API_SERVER_LIMITS.objectBytes;
  if (size <= limit) return;
  const message = `etcdserver: request is too large: the object has ${size} bytes as JSON, the limit is ${limit}`;
  throw new StatusError(500, '', message);
}

function describe({ resource, name }: StoreKey): {
  text: string;
  details: { name: string; group: string; kind: string };
} {
  const [group = '', plural = ''] = resource.split('/');
  return { text: `${group === '' ? plural : `${plural}.${group}`} "${name}"`, details: { name, group, kind: plural } };
}

function notFound(key: StoreKey): StatusError {
  const { text, details } = describe(key);
  return new StatusError(404, 'NotFound', `${text} not found`, details);
}

function alreadyExists(key: StoreKey, existing: StoredObject): StatusError {
  const { text, details } = describe(key);
  const state = existing.metadata.deletionTimestamp === undefined ? '' : 'object is being deleted: ';
  return new StatusError(409, 'AlreadyExists', `${state}${text} already exists`, details);
}

function conflict(key: StoreKey): StatusError {
  const { text, details } = describe(key);
  const message = `Operation cannot be fulfilled on ${text}: the object has been modified; please apply your changes to the latest version and try again`;
  return new StatusError(409, 'Conflict', message, details);
}
