import { ACCESS_RULES, type AccessRule, type Profile } from './rules.ts';

/** rbac.authorization.k8s.io/v1 ClusterRole, as far as we write it. */
export interface ClusterRole {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole';
  readonly metadata: { readonly name: string };
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** Options for installations in which only administrators may grant permissions. */
export interface RoleLimits {
  /** False: the operator writes no Roles and RoleBindings, and has no permission only to grant it. */
  readonly rbacWrites?: boolean;
}

/** The role to bind the operator's service account to: `base` and whatever other profiles are asked for. */
export function clusterRole(profiles: readonly Profile[], { rbacWrites = true }: RoleLimits = {}): ClusterRole {
  const wanted = new Set<Profile>(['base', ...profiles]);
  const rules = rbacWrites ? ACCESS_RULES : withoutRbacWrites(ACCESS_RULES);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'kuberay-operator' },
    rules: rules
      .filter((rule) => wanted.has(rule.profile))
      .map((rule) => ({
        apiGroups: rule.groups,
        resources: rule.resources,
        verbs: rule.verbs,
      })),
  };
}

/** The rules without those that let the operator grant permissions. */
export function withoutRbacWrites(rules: readonly AccessRule[]): readonly AccessRule[] {
  return rules.flatMap((rule) => {
    if (rule.resources.includes('pods/resize')) return [];
    if (!rule.groups.includes('rbac.authorization.k8s.io')) return [rule];
    return [{ ...rule, verbs: rule.verbs.filter((verb) => READS.includes(verb)) }];
  });
}

const READS: readonly string[] = ['get', 'list', 'watch'];
