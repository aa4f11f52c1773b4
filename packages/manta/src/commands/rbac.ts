import { clusterRole, PROFILES, type Profile } from '@manta/operator';
import { stringify } from 'yaml';

export const RBAC_PROFILES: readonly Profile[] = PROFILES;

/** Prints the role for `base` and the given profiles. */
export function printRbac(options: { readonly profile: readonly Profile[] }): void {
  process.stdout.write(stringify(clusterRole(options.profile), { aliasDuplicateObjects: false }));
}
