import { isAutoscalingEnabled, NodeType, type Role, type RoleBinding, SharedEventReason } from '@manta/api';
import {
  alignAutoscalerRole,
  buildAutoscalerRole,
  buildAutoscalerRoleBinding,
  buildAutoscalerServiceAccount,
  ownServiceAccount,
} from '../build/autoscaler-access.ts';
import { deleteOwn, isOwn } from '../ownership.ts';
import { type Action, type CreateAction, validationWarning, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { createUnlessExists, exists, updateChild } from './child-actions.ts';
import type { ClusterState } from './cluster-state.ts';
import { isHeadWanted } from './head-name.ts';
import { objectName } from './object-name.ts';
import type { RoleRecord } from './observed.ts';

/** The ServiceAccount of the autoscaler, its Role and its RoleBinding. */
export function planAutoscalerAccess(state: ClusterState): readonly Action[] {
  const { spec, cluster } = state;
  const used = objectName(state);
  const role = buildAutoscalerRole(cluster, spec, used);
  return [
    ...planServiceAccount(state),
    ...planRole(state, role),
    ...planRoleBinding(state, buildAutoscalerRoleBinding(cluster, spec, used), role),
  ];
}

/** Users who name an account for the head bring it themselves: without it the head could not be created. */
function planServiceAccount(state: ClusterState): readonly Action[] {
  const { spec, cluster, children, name, unreadable } = state;
  const own = isAutoscalingEnabled(spec) ? ownServiceAccount(spec) : undefined;
  if (own !== undefined && !unreadable.has('ServiceAccount') && !exists(children.serviceAccounts, own)) {
    const note = `Failed to reconcile RayCluster ${fullName(state, name)}. If users specify ServiceAccountName for the head Pod, they need to create a ServiceAccount themselves. However, ServiceAccount ${own} is not found. Please create one. See the PR description of https://github.com/ray-project/kuberay/pull/1128 for more details.`;
    return [
      validationWarning(SharedEventReason.AutoscalerServiceAccountNotFound, note),
      { type: 'abort', message: `serviceaccounts "${own}" not found` },
    ];
  }
  return createUnlessExists(
    state,
    'ServiceAccount',
    'service account',
    buildAutoscalerServiceAccount(cluster, spec, objectName(state)),
    children.serviceAccounts,
  );
}

/**
 * Existing clusters get the rights that a newer autoscaler needs. A Role of that name that this cluster does not control is neither changed nor
 * bound: otherwise every user who may create RayClusters could give the rights of any Role to an account of their own.
 */
function planRole(state: ClusterState, wanted: Role | undefined): readonly Action[] {
  const { uid } = state;
  if (wanted === undefined) return [];
  const live = roleOf(state, wanted);
  if (live === undefined) {
    const made = createUnlessExists(state, 'Role', 'role', wanted, [], 'fine-if-ours');
    return made.map((action) => ({ ...action, whenForeign: 'skip' }));
  }
  if (!isOwn(uid, live)) return [foreignRole(state, live.name)];
  const aligned = live.role === undefined ? undefined : alignAutoscalerRole(live.role, wanted);
  return aligned === undefined ? [] : updateChild(state, 'Role', 'role', live, aligned);
}

function roleOf({ children }: ClusterState, wanted: Role): RoleRecord | undefined {
  return children.roles.find(({ name }) => name === wanted.metadata?.name);
}

function foreignRole(state: ClusterState, name: string): Action {
  const note = `Role ${fullName(state, name)} exists and is not controlled by RayCluster ${fullName(state, state.name)}: it is not bound, and the autoscaler gets no rights from it. Delete or rename the Role, or rename the RayCluster`;
  return { type: 'event', event: warning(SharedEventReason.FailedToCreateRole, 'Create', note) };
}

/**
 * The binding follows the head to another account, but only when the next head is created: the running head keeps its account, and its
 * autoscaler would lose its rights. Kubernetes does not allow changes of bindings, so the operator recreates it. It binds only a Role that
 * this cluster controls.
 */
function planRoleBinding(
  state: ClusterState,
  wanted: RoleBinding | undefined,
  wantedRole: Role | undefined,
): readonly Action[] {
  const { children, uid, pods } = state;
  const { roleBindings } = children;
  const role = wantedRole === undefined ? undefined : roleOf(state, wantedRole);
  if (role !== undefined && !isOwn(uid, role)) return [];
  const needs = { kind: 'Role', name: wantedRole?.metadata?.name ?? '' } as const;
  const guarded = (action: CreateAction): CreateAction => (role === undefined ? { ...action, needs } : action);
  const live = roleBindings.find((each) => each.name === wanted?.metadata?.name && isOwn(uid, each));
  const account = wanted?.subjects?.[0]?.name;
  const isOutdated = account !== undefined && live?.accounts !== undefined && !live.accounts.includes(account);
  const hasHead = pods.some(({ nodeType }) => nodeType === NodeType.Head);
  if (!isOutdated || hasHead || !isHeadWanted(state))
    return createUnlessExists(state, 'RoleBinding', 'role binding', wanted, roleBindings).map(guarded);
  return [
    ...deleteOwn(uid, 'RoleBinding', live, { mayBeForbidden: true }),
    // Without permission to write bindings the head is created anyway.
    ...createUnlessExists(state, 'RoleBinding', 'role binding', wanted, []).map((action) => ({
      ...guarded(action),
      mayBeForbidden: true,
    })),
  ];
}
