import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '@manta/base';

/** The store cannot be used; the message says why and what to do. */
export class HistoryStoreError extends Error {
  override readonly name = 'HistoryStoreError';
}

/** Raised when tables change; a file with a higher number was written by a later version of this program. */
const SCHEMA = 1;

const TABLES = `
  CREATE TABLE IF NOT EXISTS object (
    uid TEXT PRIMARY KEY, kind TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL,
    created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, deleted_at INTEGER, document TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS object_by_name ON object (kind, namespace, name);
  CREATE INDEX IF NOT EXISTS object_by_owner ON object (owner);
  CREATE TABLE IF NOT EXISTS version (
    uid TEXT NOT NULL, resource_version TEXT NOT NULL, at INTEGER NOT NULL, patch TEXT, PRIMARY KEY (uid, resource_version)
  );
  CREATE INDEX IF NOT EXISTS version_by_time ON version (at);
  CREATE TABLE IF NOT EXISTS pod (
    uid TEXT PRIMARY KEY, namespace TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, job TEXT NOT NULL, node_type TEXT NOT NULL,
    worker_group TEXT NOT NULL, node TEXT NOT NULL, created_at INTEGER NOT NULL, deleted_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS pod_by_owner ON pod (owner);
  CREATE INDEX IF NOT EXISTS pod_by_job ON pod (namespace, job);
  CREATE TABLE IF NOT EXISTS container_end (
    pod TEXT NOT NULL, container TEXT NOT NULL, restart INTEGER NOT NULL, at INTEGER NOT NULL, exit_code INTEGER NOT NULL,
    reason TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (pod, container, restart)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS event (
    uid TEXT PRIMARY KEY, namespace TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
    reason TEXT NOT NULL, message TEXT NOT NULL, count INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS event_by_object ON event (namespace, kind, name);
  CREATE INDEX IF NOT EXISTS event_by_time ON event (at);
  CREATE TABLE IF NOT EXISTS log (
    pod TEXT NOT NULL, container TEXT NOT NULL, restart INTEGER NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (pod, container, restart)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS dropped (kind TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
`;

/**
 * Opens the file, and creates it first if it does not exist. WAL with `synchronous=NORMAL`: a committed transaction survives a kill of the
 * process. One writer; a second process that opens the file is refused.
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // Messages and logs of users' programs may hold secrets: the file is its owner's alone.
    closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (found > SCHEMA)
      throw new HistoryStoreError(
        `${path} was written by a later version (schema ${found}, this version reads ${SCHEMA}). Use that version, or choose another file.`,
      );
    database.exec(`BEGIN; ${TABLES} PRAGMA user_version = ${SCHEMA}; COMMIT;`);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof HistoryStoreError) throw error;
    const reason = messageOf(error);
    const advice = /lock|busy/i.test(reason)
      ? 'another process uses it; stop that process or choose another file'
      : /full/i.test(reason)
        ? 'the disk is full; make room or choose a file on another disk'
        : `${reason}; move the file away to start with an empty history`;
    throw new HistoryStoreError(`cannot open the history ${path}: ${advice}`, { cause: error });
  }
}
