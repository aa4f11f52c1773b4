import {
  canonicalJson,
  clusterObjectNames,
  isAutoscalingEnabled,
  type PolicyRule,
  type RayCluster,
  type RayClusterSpec,
  type Role,
  type RoleBinding,
  type ServiceAccount,
} from '@manta/api';
import { childMetadata, clusterLabels } from './child-metadata.ts';

const RBAC = 'rbac.authorization.k8s.io';

/**
 * The autoscaler's ServiceAccount; undefined if autoscaling is off or the user chose a ServiceAccount for the head. Without `name` it has the
 * default name, like the Role and the RoleBinding.
 */
export function buildAutoscalerServiceAccount(
  cluster: RayCluster,
  spec: RayClusterSpec,
  name: string = clusterObjectNames.serviceAccount(cluster.metadata?.name ?? ''),
): ServiceAccount | undefined {
  if (!isAutoscalingEnabled(spec) || ownServiceAccount(spec) !== undefined) return undefined;
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: childMetadata(cluster, name, clusterLabels(cluster)) };
}

/** The autoscaler's Role in the cluster's namespace; undefined if autoscaling is off. */
export function buildAutoscalerRole(
  cluster: RayCluster,
  spec: RayClusterSpec,
  name: string = clusterObjectNames.role(cluster.metadata?.name ?? ''),
): Role | undefined {
  if (!isAutoscalingEnabled(spec)) return undefined;
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: childMetadata(cluster, name, clusterLabels(cluster)),
    rules: AUTOSCALER_RULES,
  };
}

/** The existing Role with its missing rules added; undefined if none is missing. Keeps rules that others added. */
export function alignAutoscalerRole(live: Role, wanted: Role): Role | undefined {
  const has = new Set((live.rules ?? []).map((rule) => canonicalJson(rule)));
  const missing = (wanted.rules ?? []).filter((rule) => !has.has(canonicalJson(rule)));
  return missing.length === 0 ? undefined : { ...live, rules: [...(live.rules ?? []), ...missing] };
}

/** Binds the autoscaler's Role to the head pod's ServiceAccount; undefined if autoscaling is off. */
export function buildAutoscalerRoleBinding(
  cluster: RayCluster,
  spec: RayClusterSpec,
  name: string = clusterObjectNames.roleBinding(cluster.metadata?.name ?? ''),
): RoleBinding | undefined {
  if (!isAutoscalingEnabled(spec)) return undefined;
  const { namespace = '' } = cluster.metadata ?? {};
  const account = clusterObjectNames.serviceAccount(name, ownServiceAccount(spec));
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: childMetadata(cluster, name, clusterLabels(cluster)),
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    roleRef: { apiGroup: RBAC, kind: 'Role', name },
  };
}

/** The ServiceAccount that the user chose for the head pod. It must exist: the operator creates only its own. */
export function ownServiceAccount({ headGroupSpec }: RayClusterSpec): string | undefined {
  return headGroupSpec.template.spec?.serviceAccountName || undefined;
}

const AUTOSCALER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['pods/resize'], verbs: ['patch'] },
  { apiGroups: ['ray.io'], resources: ['rayclusters'], verbs: ['get', 'patch'] },
];
