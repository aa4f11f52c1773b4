import type { AccessRule, Capability } from './rules.ts';

/** One thing the operator would like to do: a verb on a resource, and what it is for. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  /** With its subresource, e.g. `pods/resize`. */
  readonly resource: string;
  readonly neededFor: Capability;
}

/** A rule of a SelfSubjectRulesReview's answer. */
export interface GrantedRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Spells the rules out, one permission each. */
export function permissionsOf(rules: readonly AccessRule[]): readonly Permission[] {
  return rules.flatMap((rule) =>
    rule.groups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        rule.verbs.map((verb) => ({ verb, group, resource, neededFor: rule.neededFor })),
      ),
    ),
  );
}

/** Whether one of the rules grants it, with RBAC's wildcards. A grant for named objects only does not count. */
export function isGranted(permission: Permission, rules: readonly GrantedRule[]): boolean {
  return rules.some(
    (rule) =>
      (rule.resourceNames ?? []).length === 0 &&
      matches(rule.verbs, permission.verb) &&
      matches(rule.apiGroups ?? [], permission.group) &&
      matchesResource(rule.resources ?? [], permission.resource),
  );
}

/** `create pods`, `patch rayclusters.ray.io/status`: how kubectl users say it. */
export function describePermission({ verb, group, resource }: Permission): string {
  const [name, subresource] = resource.split('/');
  return `${verb} ${name}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}

function matches(granted: readonly string[], wanted: string): boolean {
  return granted.includes(wanted) || granted.includes('*');
}

function matchesResource(granted: readonly string[], wanted: string): boolean {
  const subresource = wanted.split('/')[1];
  return matches(granted, wanted) || (subresource !== undefined && granted.includes(`*/${subresource}`));
}
