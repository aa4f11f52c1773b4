import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';

const RETRY_MS = 250;

/**
 * Runs one process's work at a time. The lock is the operating system's own lock on a file (taken through SQLite, since Node has no call
 * for it): it ends with its process however that dies, so there is no stale lock to clean up by hand. A signal ends the waiting, not the work.
 */
export async function withLock<T>(
  path: string,
  onWait: () => void,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let held = tryAcquire(path);
  if (held === undefined) onWait();
  while (held === undefined) {
    await sleep(RETRY_MS, undefined, { signal });
    held = tryAcquire(path);
  }
  try {
    return await work();
  } finally {
    held.close();
  }
}

function tryAcquire(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}
