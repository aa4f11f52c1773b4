import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { messageOf } from '@manta/base';
import { bytesOf } from '../object/object-bytes.ts';
import { resourceName } from '../object/resource-info.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Revision, StoreKey } from './contract.ts';

/** Where a store's content survives the process. Calls return when the write would survive a kill of the process. */
export interface Journal {
  /** What was there when the journal was opened. */
  load(): { readonly revision: Revision; readonly objects: readonly { key: StoreKey; object: StoredObject }[] };
  put(key: StoreKey, object: StoredObject, revision: Revision): void;
  remove(key: StoreKey, revision: Revision): void;
  close(): void;
}

/** The data directory cannot be used; the message says why and what to do. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/**
 * A journal in one SQLite file in WAL mode. `synchronous=NORMAL` hands each commit to the operating system before it returns: nothing
 * acknowledged is lost when the process is killed (a power cut may lose the last moments, as with etcd's --unsafe-no-fsync).
 */
export function openJournal(path: string): Journal {
  const database = openExclusively(path);
  const put = database.prepare('INSERT OR REPLACE INTO object VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM object WHERE resource = ? AND namespace = ? AND name = ?');
  const setRevision = database.prepare("INSERT OR REPLACE INTO meta VALUES ('revision', ?)");
  const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];
  const inTransaction = (statement: StatementSync, values: readonly (string | Uint8Array)[], revision: Revision) => {
    try {
      begin.run();
      statement.run(...values);
      setRevision.run(revision);
      commit.run();
    } catch (error) {
      // Half a transaction left open would refuse all later ones, too.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw unwritten(path, error);
    }
  };
  return {
    load: () => load(database),
    put(key, object, revision) {
      inTransaction(put, [key.resource, key.namespace, key.name, bytesOf(object)], revision);
    },
    remove(key, revision) {
      inTransaction(remove, [key.resource, key.namespace, key.name], revision);
    },
    close: () => database.close(),
  };
}

/** Rejects the callers that wait for the write. */
function unwritten(path: string, cause: unknown): StatusError {
  const reason = messageOf(cause);
  const advice = /full/i.test(reason) ? 'the disk is full; make room there, then it goes on' : reason;
  return new StatusError(500, 'InternalError', `cannot write to ${path}: ${advice}`);
}

function openExclusively(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path);
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS object (
        resource TEXT, namespace TEXT, name TEXT, json BLOB NOT NULL, PRIMARY KEY (resource, namespace, name)
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    `);
    return database;
  } catch (error) {
    const reason = messageOf(error);
    const advice = /lock|busy/i.test(reason)
      ? 'another engine is using this data directory; stop it, or choose another with --data-dir'
      : /full/i.test(reason)
        ? 'the disk is full; make room there, or choose another directory with --data-dir'
        : `${reason}; move the file away to start afresh, or choose another directory with --data-dir`;
    throw new JournalError(`cannot open ${path}: ${advice}`, { cause: error });
  }
}

function load(database: DatabaseSync): ReturnType<Journal['load']> {
  const rows = database.prepare('SELECT resource, namespace, name, json FROM object').all();
  const revision = database.prepare("SELECT value FROM meta WHERE name = 'revision'").get()?.['value'];
  return {
    revision: typeof revision === 'number' ? revision : 0,
    objects: rows.map((row) => {
      const [group = '', plural = ''] = String(row['resource']).split('/');
      const key = {
        resource: resourceName({ group, plural }),
        namespace: String(row['namespace']),
        name: String(row['name']),
      };
      return { key, object: JSON.parse(textOf(row['json'])) };
    }),
  };
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.length).toString()
    : String(value);
}
