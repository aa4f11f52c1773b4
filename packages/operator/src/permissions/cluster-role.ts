import { ACCESS_RULES, type Profile } from './rules.ts';

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

/** The role to bind the operator's service account to: `base` and whatever other profiles are asked for. */
export function clusterRole(profiles: readonly Profile[]): ClusterRole {
  const wanted = new Set<Profile>(['base', ...profiles]);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'kuberay-operator' },
    rules: ACCESS_RULES.filter((rule) => wanted.has(rule.profile)).map((rule) => ({
      apiGroups: rule.groups,
      resources: rule.resources,
      verbs: rule.verbs,
    })),
  };
}
