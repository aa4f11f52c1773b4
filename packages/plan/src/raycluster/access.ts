import { isAutoscalingEnabled, NodeType, type Role, type RoleBinding, SharedEventReason } from '@manta/api';
import {
  alignAutoscalerRole,
  buildAutoscalerRole,
  buildAutoscalerRoleBinding,
  buildAutoscalerServiceAccount,
  ownServiceAccount,
} from '../build/autoscaler-access.ts';
import { type Action, validationWarning } from '../plan.ts';
import { createUnlessThere, isThere, updateChild } from './create-child.ts';
import { isHeadWanted } from './head-name.ts';
import { objectName } from './object-name.ts';
import { fullName, type Subject } from './subject.ts';

/** The account of the autoscaler and what it may do. */
export function planAutoscalerAccess(subject: Subject): readonly Action[] {
  const { spec, cluster } = subject;
  const used = objectName(subject);
  return [
    ...planServiceAccount(subject),
    ...planRole(subject, buildAutoscalerRole(cluster, spec, used)),
    ...planRoleBinding(subject, buildAutoscalerRoleBinding(cluster, spec, used)),
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
      { type: 'fail', message: `serviceaccounts "${own}" not found` },
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

/** What a newer autoscaler needs reaches clusters that are there already. */
function planRole(subject: Subject, wanted: Role | undefined): readonly Action[] {
  const { children, uid } = subject;
  const live = children.roles.find(({ name, owner }) => name === wanted?.metadata?.name && owner === uid)?.role;
  const aligned = live === undefined || wanted === undefined ? undefined : alignAutoscalerRole(live, wanted);
  return [
    ...createUnlessThere(subject, 'Role', 'role', wanted, children.roles),
    ...(aligned === undefined ? [] : [updateChild(subject, 'Role', 'role', aligned)]),
  ];
}

/**
 * The binding follows the head to another account. Not before the next head comes: the one that runs has the account that it was made
 * with, and its autoscaler would lose its rights. We may not change bindings, so it is made anew.
 */
function planRoleBinding(subject: Subject, wanted: RoleBinding | undefined): readonly Action[] {
  const { children, uid, pods } = subject;
  const { roleBindings } = children;
  const live = roleBindings.find(({ name, owner }) => name === wanted?.metadata?.name && owner === uid);
  const account = wanted?.subjects?.[0]?.name;
  const isOutdated = account !== undefined && live?.accounts !== undefined && !live.accounts.includes(account);
  const hasHead = pods.some(({ nodeType, owner }) => nodeType === NodeType.Head && owner === uid);
  if (!isOutdated || hasHead || !isHeadWanted(subject))
    return createUnlessThere(subject, 'RoleBinding', 'role binding', wanted, roleBindings);
  return [
    { type: 'delete', kind: 'RoleBinding', name: live.name, uid: live.uid, mayBeForbidden: true },
    // Where we may write no bindings, the head comes all the same.
    ...createUnlessThere(subject, 'RoleBinding', 'role binding', wanted, []).map((action) => ({
      ...action,
      mayBeForbidden: true,
    })),
  ];
}
