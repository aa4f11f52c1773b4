import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file atomically, readable only by its owner: even after a kill it is never half written. */
export function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
