import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a folder with all that is in it, also what its makers made read-only; what resists even so is left, without an error. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openUp(path);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Swept again at the next start.
    }
  }
}

function openUp(path: string): void {
  try {
    if (!lstatSync(path).isDirectory()) return;
    chmodSync(path, 0o700);
    for (const name of readdirSync(path)) openUp(join(path, name));
  } catch {
    // Owned by another user: it cannot be removed.
  }
}
