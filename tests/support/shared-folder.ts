import { resolve } from 'node:path';

/** Where the peer's CRDs, samples and recorded behaviour lie: `MANTA_SHARED`, else `shared` beside the repository. */
export function sharedFolder(): string {
  return resolve(process.env['MANTA_SHARED'] ?? resolve(import.meta.dirname, '../../../shared'));
}
