import type { Scope } from '../requests/request.ts';
import type { DeleteParams } from './delete-params.ts';

const ORPHANED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Warns if a delete without a propagation policy orphans dependents. */
export function warnOfOrphans({ resource, warn }: Scope, { propagation }: DeleteParams): void {
  if (resource.rules.orphansByDefault && propagation === undefined) warn(ORPHANED);
}
