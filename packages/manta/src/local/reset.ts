import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that an engine keeps in its data directory. */
const OWN = [
  'state.db',
  'state.db-wal',
  'state.db-shm',
  'history.db',
  'history.db-wal',
  'history.db-shm',
  'keys.json',
  'crds.sha256',
  'kubeconfig',
  'pods',
  'claims',
];

/** Removes what an engine left in its data directory, and nothing that somebody else put there. */
export function resetDataDir(dataDir: string): void {
  for (const name of OWN) rmSync(join(dataDir, name), { recursive: true, force: true });
}
