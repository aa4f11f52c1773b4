import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const PREFIX = 'manta-';
/** Longer ones leave no room for the names of Ray's sockets. */
const LONGEST = 24;
const socketRoot = () => (tmpdir().length > LONGEST && existsSync('/tmp') ? '/tmp' : tmpdir());

/**
 * Makes a folder for sockets. It is short, since a socket's path may have 107 bytes, so it is not in the data directory; which one it is
 * stands there, and the one of an engine that was killed is removed.
 */
export function newSocketFolder(dataDir: string): string {
  const note = join(dataDir, 'sockets');
  const last = read(note);
  // The file's content is not trusted: only a folder of this form is removed.
  const isOurs = dirname(last) === socketRoot() && basename(last).startsWith(PREFIX);
  if (isOurs) rmSync(last, { recursive: true, force: true });
  const folder = mkdtempSync(join(socketRoot(), PREFIX));
  writeFileSync(note, folder, { mode: 0o600 });
  // The process may exit without waiting, after a second Ctrl-C.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
