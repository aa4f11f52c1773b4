import type { DatabaseSync } from 'node:sqlite';
import type { EventEntry, HistoryEntry, LogEntry, PodEntry, RayKind, VersionEntry } from './entries.ts';
import { applyMerge, mergeDiff } from './merge-diff.ts';
import { DEFAULT_RETENTION, prune, type Retention } from './retention.ts';
import { openDatabase } from './schema.ts';

export { HistoryStoreError } from './schema.ts';

/** A Ray object as the store lists it. */
export interface ObjectRow {
  readonly uid: string;
  readonly kind: RayKind;
  readonly namespace: string;
  readonly name: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly deletedAt: number | undefined;
  /** Its last version. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** One recorded version: the object as it was then, and what had changed. */
export interface VersionRow {
  readonly at: number;
  readonly resourceVersion: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** The merge patch from the version before; undefined for the first one. */
  readonly patch: Readonly<Record<string, unknown>> | undefined;
}

/** Creation times have whole seconds only: of objects created in the same second, the one that exists or was deleted last is the latest. */
const LATEST_FIRST = 'created_at DESC, deleted_at IS NULL DESC, deleted_at DESC, uid';

/** History in one SQLite file. Every call is one transaction: when it returns, what it wrote survives a kill of the process. */
export class HistoryStore {
  readonly #database: DatabaseSync;
  readonly #retention: Retention;

  /** Throws a `HistoryStoreError` if the file cannot be used. */
  constructor(path: string, retention: Partial<Retention> = {}) {
    this.#database = openDatabase(path);
    this.#retention = { ...DEFAULT_RETENTION, ...retention };
  }

  /** Writes all entries or none. Entries that were written before change nothing, so a caller may repeat the call. */
  append(entries: readonly HistoryEntry[]): void {
    this.#inTransaction(() => {
      for (const entry of entries) this.#write(entry);
    });
  }

  /** Adds to the count of entries of a kind that could not be kept. */
  countDropped(kind: HistoryEntry['kind'], entries: number): void {
    const add =
      'INSERT INTO dropped VALUES (?, ?) ON CONFLICT (kind) DO UPDATE SET entries = entries + excluded.entries';
    this.#database.prepare(add).run(kind, entries);
  }

  dropped(): Readonly<Record<string, number>> {
    const rows = this.#database.prepare('SELECT kind, entries FROM dropped').all();
    return Object.fromEntries(rows.map((row) => [String(row['kind']), Number(row['entries'])]));
  }

  /** Deletes what the retention does not keep; returns how many objects it deleted. */
  prune(now: number): number {
    return this.#inTransaction(() => prune(this.#database, this.#retention, now));
  }

  /** Objects of a kind, the latest first. An empty namespace means all. */
  objects(kind: RayKind, namespace: string, limit: number): readonly ObjectRow[] {
    const where = namespace === '' ? "kind = ? AND ? = ''" : 'kind = ? AND namespace = ?';
    const sql = `SELECT * FROM object WHERE ${where} ORDER BY ${LATEST_FIRST} LIMIT ?`;
    return this.#database.prepare(sql).all(kind, namespace, limit).map(objectRow);
  }

  /** All objects that had this name, the latest first. */
  named(kind: RayKind, namespace: string, name: string): readonly ObjectRow[] {
    const sql = `SELECT * FROM object WHERE kind = ? AND namespace = ? AND name = ? ORDER BY ${LATEST_FIRST}`;
    return this.#database.prepare(sql).all(kind, namespace, name).map(objectRow);
  }

  /** Uids of objects that exist as far as the store knows: those to check after a restart. */
  living(): readonly Pick<ObjectRow, 'uid' | 'kind' | 'namespace' | 'name' | 'owner'>[] {
    return this.#database.prepare('SELECT * FROM object WHERE deleted_at IS NULL').all().map(objectRow);
  }

  ownedBy(uid: string): readonly ObjectRow[] {
    return this.#database
      .prepare('SELECT * FROM object WHERE owner = ? ORDER BY created_at, uid')
      .all(uid)
      .map(objectRow);
  }

  /** Versions of an object, oldest first. */
  versions(uid: string): readonly VersionRow[] {
    const rows = this.#database.prepare('SELECT * FROM version WHERE uid = ? ORDER BY rowid').all(uid);
    const versions: VersionRow[] = [];
    let document: Readonly<Record<string, unknown>> = {};
    for (const row of rows) {
      const patch = parse(row['patch']);
      document = applyMerge(document, patch);
      versions.push({
        at: Number(row['at']),
        resourceVersion: String(row['resource_version']),
        document,
        patch: versions.length === 0 ? undefined : patch,
      });
    }
    return versions;
  }

  /** Pods of a cluster by its uid, or submitters of a RayJob by its name, in order of creation. */
  pods(of: { readonly owner: string } | { readonly namespace: string; readonly job: string }): readonly PodEntry[] {
    const rows =
      'owner' in of
        ? this.#database.prepare('SELECT * FROM pod WHERE owner = ? ORDER BY created_at, name').all(of.owner)
        : this.#database
            .prepare('SELECT * FROM pod WHERE namespace = ? AND job = ? ORDER BY created_at, name')
            .all(of.namespace, of.job);
    const ends = this.#database.prepare('SELECT * FROM container_end WHERE pod = ? ORDER BY at, container, restart');
    return rows.map((row) => ({
      kind: 'pod',
      uid: String(row['uid']),
      namespace: String(row['namespace']),
      name: String(row['name']),
      owner: String(row['owner']),
      job: String(row['job']),
      nodeType: String(row['node_type']),
      group: String(row['worker_group']),
      node: String(row['node']),
      createdAt: Number(row['created_at']),
      deletedAt: optionalNumber(row['deleted_at']),
      ends: ends.all(String(row['uid'])).map((end) => ({
        container: String(end['container']),
        restart: Number(end['restart']),
        at: Number(end['at']),
        exitCode: Number(end['exit_code']),
        reason: String(end['reason']),
        message: String(end['message']),
      })),
    }));
  }

  events(namespace: string, kind: string, name: string): readonly EventEntry[] {
    const sql = 'SELECT * FROM event WHERE namespace = ? AND kind = ? AND name = ? ORDER BY at, uid';
    return this.#database
      .prepare(sql)
      .all(namespace, kind, name)
      .map((row) => ({
        kind: 'event',
        uid: String(row['uid']),
        namespace: String(row['namespace']),
        regardingKind: String(row['kind']),
        regardingName: String(row['name']),
        at: Number(row['at']),
        type: String(row['type']),
        reason: String(row['reason']),
        message: String(row['message']),
        count: Number(row['count']),
      }));
  }

  logs(podUid: string): readonly LogEntry[] {
    return this.#database
      .prepare('SELECT * FROM log WHERE pod = ? ORDER BY container, restart')
      .all(podUid)
      .map((row) => ({
        kind: 'log',
        podUid,
        container: String(row['container']),
        restart: Number(row['restart']),
        at: Number(row['at']),
        text: String(row['text']),
      }));
  }

  close(): void {
    this.#database.close();
  }

  #write(entry: HistoryEntry): void {
    switch (entry.kind) {
      case 'version':
        this.#writeVersion(entry);
        return;
      case 'pod':
        this.#writePod(entry);
        return;
      case 'event':
        this.#database
          .prepare('INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
          .run(
            entry.uid,
            entry.namespace,
            entry.regardingKind,
            entry.regardingName,
            entry.at,
            entry.type,
            entry.reason,
            entry.message,
            entry.count,
          );
        return;
      case 'log':
        this.#database
          .prepare('INSERT OR REPLACE INTO log VALUES (?, ?, ?, ?, ?)')
          .run(entry.podUid, entry.container, entry.restart, entry.at, entry.text);
    }
  }

  #writeVersion(entry: VersionEntry): void {
    const { uid, document, at } = entry;
    if (document === undefined) {
      this.#database.prepare('UPDATE object SET deleted_at = ? WHERE uid = ? AND deleted_at IS NULL').run(at, uid);
      return;
    }
    const known = this.#database.prepare('SELECT document FROM object WHERE uid = ?').get(uid);
    const seen = this.#database.prepare('SELECT 1 FROM version WHERE uid = ? AND resource_version = ?');
    if (seen.get(uid, entry.resourceVersion) !== undefined) return;
    const patch = known === undefined ? document : mergeDiff(parse(known['document']), document);
    if (patch === undefined) return;
    this.#database
      .prepare('INSERT INTO version VALUES (?, ?, ?, ?)')
      .run(uid, entry.resourceVersion, at, JSON.stringify(patch));
    const text = JSON.stringify(document);
    if (known === undefined)
      this.#database
        .prepare('INSERT INTO object VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?)')
        .run(uid, entry.object, entry.namespace, entry.name, entry.owner, createdAt(document, at), at, text);
    else this.#database.prepare('UPDATE object SET document = ?, changed_at = ? WHERE uid = ?').run(text, at, uid);
  }

  #writePod(entry: PodEntry): void {
    const { uid, namespace, name, owner, job, nodeType, group, node, createdAt: created, deletedAt } = entry;
    this.#database
      .prepare('INSERT OR REPLACE INTO pod VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(uid, namespace, name, owner, job, nodeType, group, node, created, deletedAt ?? null);
    const insert = this.#database.prepare('INSERT OR IGNORE INTO container_end VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const end of entry.ends)
      insert.run(uid, end.container, end.restart, end.at, end.exitCode, end.reason, end.message);
  }

  #inTransaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // An open half of a transaction would refuse all later ones.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

function objectRow(row: Readonly<Record<string, unknown>>): ObjectRow {
  return {
    uid: String(row['uid']),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this class writes the column
    kind: String(row['kind']) as RayKind,
    namespace: String(row['namespace']),
    name: String(row['name']),
    owner: String(row['owner']),
    createdAt: Number(row['created_at']),
    changedAt: Number(row['changed_at']),
    deletedAt: optionalNumber(row['deleted_at']),
    document: parse(row['document']),
  };
}

function createdAt(document: Readonly<Record<string, unknown>>, fallback: number): number {
  const metadata: unknown = document['metadata'];
  if (typeof metadata !== 'object' || metadata === null || !('creationTimestamp' in metadata)) return fallback;
  const time = Date.parse(String(metadata.creationTimestamp));
  return Number.isNaN(time) ? fallback : time;
}

function optionalNumber(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function parse(text: unknown): Readonly<Record<string, unknown>> {
  const read: unknown = JSON.parse(String(text));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this class writes the column, and it writes objects
  return read as Readonly<Record<string, unknown>>;
}
