import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** The engine's data directory: the one asked for, else where the desktop's rules want a program's data. */
export function chosenDataDir(asked: string | undefined): string {
  if (asked !== undefined) return resolve(asked);
  const shared = process.env['XDG_DATA_HOME'] ?? '';
  return join(isAbsolute(shared) ? shared : join(homedir(), '.local/share'), 'manta');
}

/** Throws if this user may not look into a data directory: an engine of another user may serve it. */
export function checkMayLook(dataDir: string): void {
  try {
    accessSync(join(dataDir, 'engine.json'), constants.R_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EACCES' && code !== 'EPERM') return;
    throw new Error(
      `cannot tell what runs on ${dataDir}: this user may not read it. Run the command as the user who started the engine, or name another directory with --data-dir.`,
      { cause: error },
    );
  }
}
