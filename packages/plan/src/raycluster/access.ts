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
import { createUnlessThere, isThere, updateChild } from './create-child.ts';
import { isHeadWanted } from './head-name.ts';
import { objectName } from './object-name.ts';
import type { RoleRecord } from './observed.ts';
import type { Subject } from './subject.ts';

/** The account of the autoscaler and what it may do. */
export function planAutoscalerAccess(subject: Subject): readonly Action[] {
  const { spec, cluster } = subject;
  const used = objectName(subject);
  const role = buildAutoscalerRole(cluster, spec, used);
  return [
    ...planServiceAccount(subject),
    ...planRole(subject, role),
    ...planRoleBinding(subject, buildAutoscalerRoleBinding(cluster, spec, used), role),
  ];
}

/** Users who name an account for the head bring it themselves: without it the head could not be created. */
function planServiceAccount(subject: Subject): readonly Action[] {
  const { spec, cluster, children, name, unreadable } = subject;
  const own = isAutoscalingEnabled(spec) ? ownServiceAccount(spec) : undefined;
  if (own !== undefined && !unreadable.has('ServiceAccount') && !isThere(children.serviceAccounts, own)) {
    const note = `Failed to reconcile RayCluster ${fullName(subject, name)}. If users specify ServiceAccountName for the head Pod, they need to create a ServiceAccount themselves. However, ServiceAccount ${own} is not found. Please create one. See the PR description of https://github.com/ray-project/kuberay/pull/1128 for more details.`;
    return [
      validationWarning(SharedEventReason.AutoscalerServiceAccountNotFound, note),
      { type: 'abort', message: `serviceaccounts "${own}" not found` },
    ];
  }
  return createUnlessThere(
    subject,
    'ServiceAccount',
    'service account',
    buildAutoscalerServiceAccount(cluster, spec, objectName(subject)),
    children.serviceAccounts,
  );
}

/**
 * What a newer autoscaler needs reaches existing clusters. A Role of that name that this cluster does not control is neither changed nor
 * bound: whoever may create RayClusters would give the rights of any Role to an account of his own.
 */
function planRole(subject: Subject, wanted: Role | undefined): readonly Action[] {
  const { uid } = subject;
  if (wanted === undefined) return [];
  const live = roleOf(subject, wanted);
  if (live === undefined) {
    const made = createUnlessThere(subject, 'Role', 'role', wanted, [], 'fine-if-ours');
    return made.map((action) => ({ ...action, whenForeign: 'skip' }));
  }
  if (!isOwn(uid, live)) return [foreignRole(subject, live.name)];
  const aligned = live.role === undefined ? undefined : alignAutoscalerRole(live.role, wanted);
  return aligned === undefined ? [] : updateChild(subject, 'Role', 'role', live, aligned);
}

function roleOf({ children }: Subject, wanted: Role): RoleRecord | undefined {
  return children.roles.find(({ name }) => name === wanted.metadata?.name);
}

function foreignRole(subject: Subject, name: string): Action {
  const note = `Role ${fullName(subject, name)} exists and is not controlled by RayCluster ${fullName(subject, subject.name)}: it is not bound, and the autoscaler gets no rights from it. Delete or rename the Role, or rename the RayCluster`;
  return { type: 'event', event: warning(SharedEventReason.FailedToCreateRole, 'Create', note) };
}

/**
 * The binding follows the head to another account. Not before the next head comes: the one that runs has the account that it was made
 * with, and its autoscaler would lose its rights. We may not change bindings, so it is made anew. Only a Role that this cluster controls
 * is bound.
 */
function planRoleBinding(
  subject: Subject,
  wanted: RoleBinding | undefined,
  wantedRole: Role | undefined,
): readonly Action[] {
  const { children, uid, pods } = subject;
  const { roleBindings } = children;
  const role = wantedRole === undefined ? undefined : roleOf(subject, wantedRole);
  if (role !== undefined && !isOwn(uid, role)) return [];
  const needs = { kind: 'Role', name: wantedRole?.metadata?.name ?? '' } as const;
  const guarded = (action: CreateAction): CreateAction => (role === undefined ? { ...action, needs } : action);
  const live = roleBindings.find((each) => each.name === wanted?.metadata?.name && isOwn(uid, each));
  const account = wanted?.subjects?.[0]?.name;
  const isOutdated = account !== undefined && live?.accounts !== undefined && !live.accounts.includes(account);
  const hasHead = pods.some(({ nodeType }) => nodeType === NodeType.Head);
  if (!isOutdated || hasHead || !isHeadWanted(subject))
    return createUnlessThere(subject, 'RoleBinding', 'role binding', wanted, roleBindings).map(guarded);
  return [
    ...deleteOwn(uid, 'RoleBinding', live, { mayBeForbidden: true }),
    // Where we may write no bindings, the head comes all the same.
    ...createUnlessThere(subject, 'RoleBinding', 'role binding', wanted, []).map((action) => ({
      ...guarded(action),
      mayBeForbidden: true,
    })),
  ];
}
