import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner may read. Nobody ever sees half of it, not even after a kill in the middle. */
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
