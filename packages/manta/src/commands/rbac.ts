import { clusterRole, PROFILES, type Profile } from '@manta/operator';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';

/** Tells the command line how the operator's role is printed. */
export function describeRbac(command: Command): void {
  command
    .addOption(
      new Option('--profile <name...>', 'what to add to the base role').choices(PROFILES).default([], 'base only'),
    )
    .option('--no-rbac-writes', 'leave out the writing of Roles and RoleBindings, and what is held only to grant it')
    .action(printRbac);
}

/** Prints the role for `base` and the given profiles, or the one that may not write roles. */
function printRbac(options: { readonly profile: readonly Profile[]; readonly rbacWrites: boolean }): void {
  process.stdout.write(stringify(clusterRole(options.profile, options), { aliasDuplicateObjects: false }));
}
