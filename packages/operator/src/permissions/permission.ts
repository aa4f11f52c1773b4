import type { AccessQuestion } from '@manta/kube';
import type { AccessRule, Capability } from './rules.ts';

/** One thing the operator would like to do: a verb on a resource, and what it is for. */
export interface Permission extends AccessQuestion {
  readonly neededFor: Capability;
}

/** Spells the rules out, one permission each. */
export function permissionsOf(rules: readonly AccessRule[]): readonly Permission[] {
  return rules.flatMap(({ groups, resources, verbs, neededFor }) =>
    groups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = '', subresource] = path.split('/');
        return verbs.map((verb) => ({ verb, group, resource, subresource, neededFor }));
      }),
    ),
  );
}

/** In kubectl's words: `create pods`, `patch rayclusters.ray.io/status in ml`. */
export function describePermission({ verb, group, resource, subresource, namespace }: AccessQuestion): string {
  const name = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  return `${verb} ${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

/** Many permissions in one line, the verbs of a resource together: `create, delete pods in ml (pods)`. */
export function summarizePermissions(permissions: readonly Permission[]): string {
  const verbs = Map.groupBy(
    permissions,
    (permission) => `${describePermission({ ...permission, verb: '' })} (${permission.neededFor})`,
  );
  return [...verbs].map(([rest, found]) => `${found.map(({ verb }) => verb).join(', ')}${rest}`).join('; ');
}
