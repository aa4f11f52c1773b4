import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** The engine's data directory: the one asked for, else where the desktop's rules want a program's data. */
export function chosenDataDir(asked: string | undefined): string {
  if (asked !== undefined) return resolve(asked);
  const shared = process.env['XDG_DATA_HOME'] ?? '';
  return join(isAbsolute(shared) ? shared : join(homedir(), '.local/share'), 'manta');
}
