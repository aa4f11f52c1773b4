import type { DatabaseSync } from 'node:sqlite';

/** What of the history is kept. The oldest ended objects are dropped first; running ones are never dropped. */
export interface Retention {
  readonly days: number;
  readonly bytes: number;
  /** Ended objects of one kind in one namespace. */
  readonly objectsPerNamespace: number;
}

export const DEFAULT_RETENTION: Retention = { days: 30, bytes: 1 << 30, objectsPerNamespace: 1_000 };

const DAY_MS = 86_400_000;
/** Objects that are dropped in one go where the file is too large. */
const BATCH = 50;

/** Deletes what the retention does not keep; returns how many objects it deleted. Call it inside of a transaction. */
export function prune(database: DatabaseSync, retention: Retention, now: number): number {
  const doomed = new Set<string>();
  const collect = (rows: readonly Readonly<Record<string, unknown>>[]) => {
    for (const { uid } of rows) doomed.add(String(uid));
  };
  const oldest = now - retention.days * DAY_MS;
  collect(database.prepare('SELECT uid FROM object WHERE deleted_at < ?').all(oldest));
  const ranked =
    'SELECT uid FROM (SELECT uid, row_number() OVER (PARTITION BY kind, namespace ORDER BY deleted_at DESC) AS rank ' +
    'FROM object WHERE deleted_at IS NOT NULL) WHERE rank > ?';
  collect(database.prepare(ranked).all(retention.objectsPerNamespace));
  if (usedBytes(database) > retention.bytes)
    collect(
      database.prepare('SELECT uid FROM object WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ?').all(BATCH),
    );
  for (const uid of doomed) deleteObject(database, uid);
  for (const table of ['container_end', 'log'])
    database.prepare(`DELETE FROM ${table} WHERE pod IN (SELECT uid FROM pod WHERE deleted_at < ?)`).run(oldest);
  database.prepare('DELETE FROM pod WHERE deleted_at < ?').run(oldest);
  database.prepare('DELETE FROM event WHERE at < ?').run(oldest);
  return doomed.size;
}

/** Bytes of pages that hold data: a file does not shrink when rows are deleted. */
function usedBytes(database: DatabaseSync): number {
  const value = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  return (value('page_count') - value('freelist_count')) * value('page_size');
}

function deleteObject(database: DatabaseSync, uid: string): void {
  // Submitters are known by the name of their RayJob, and a later RayJob may have it: only those from the life of this one are deleted.
  const pods =
    'SELECT pod.uid FROM pod LEFT JOIN object ON object.uid = ?1 WHERE pod.owner = ?1 OR ' +
    "(object.kind = 'RayJob' AND pod.job = object.name AND pod.namespace = object.namespace " +
    'AND pod.created_at BETWEEN object.created_at AND object.deleted_at)';
  for (const table of ['container_end', 'log'])
    database.prepare(`DELETE FROM ${table} WHERE pod IN (${pods})`).run(uid);
  database.prepare(`DELETE FROM pod WHERE uid IN (${pods})`).run(uid);
  database.prepare('DELETE FROM version WHERE uid = ?').run(uid);
  database.prepare('DELETE FROM object WHERE uid = ?').run(uid);
}
