import {
  type Condition,
  type ConditionVerdict,
  isAutoscalingEnabled,
  isGcsFaultToleranceEmbedded,
  RayClusterConditionReason,
  RayClusterConditionType,
  type RayClusterStatus,
} from '@manta/api';
import { wantsAuthSecret } from '../build/auth-secret.ts';
import { keepsStateInRedis } from '../build/redis-cleanup.ts';
import { type ChildKind, NOTHING, type PlanOutcome, type ReconcilePlan } from '../plan.ts';
import { withCondition } from '../shared/conditions.ts';
import type { ClusterState } from './cluster-state.ts';
import { planDeletion } from './deletion.ts';

const { PermissionMissing } = RayClusterConditionType;

/** How soon to check whether a missing permission was granted. */
const REQUEUE_MS = 10_000;

/**
 * Without permission to read pods or Services nothing can be decided, except that a deletion ends in time. The status names the missing
 * permission. Undefined when both may be read.
 */
export function planWithoutPermissions(state: ClusterState): ReconcilePlan<RayClusterStatus, never> | undefined {
  const { missingPermissions: missing = [] } = state;
  if (missing.length === 0) return undefined;
  const deletion = planDeletion(state, false) ?? NOTHING;
  return {
    actions: deletion.actions,
    statusAfter: () => statusWithout(state, missing),
    requeueAfterMs: Math.min(REQUEUE_MS, deletion.requeueAfterMs ?? REQUEUE_MS),
  };
}

/** The status as it was, with the condition that names what is missing; undefined when it does already. */
function statusWithout(
  { cluster, context, now }: ClusterState,
  missing: readonly string[],
): RayClusterStatus | undefined {
  if (!context.gates.RayClusterStatusConditions) return undefined;
  const before = cluster.status?.conditions ?? [];
  const verdict = permissionVerdict(missing);
  if (before.some(({ type, message }) => type === PermissionMissing && message === verdict.message)) return undefined;
  return { ...cluster.status, conditions: withCondition(before, PermissionMissing, verdict, { now }) };
}

/** The permissions that this cluster needs and the operator lacks, as far as is known once a plan has been carried out. */
function missingPermissions(state: ClusterState, outcome: PlanOutcome): readonly string[] {
  const unread = [...state.unreadable].flatMap(([kind, permission]) => (needs(state, kind) ? [permission] : []));
  return [...new Set([...unread, ...(outcome.missingPermissions ?? [])])].toSorted();
}

/** Reports what is missing and how to grant it. A plan that was carried out without missing anything removes the condition. */
export function withPermissions(
  state: ClusterState,
  conditions: readonly Condition[],
  outcome: PlanOutcome,
  set: (conditions: readonly Condition[], type: string, verdict: ConditionVerdict) => readonly Condition[],
): readonly Condition[] {
  const missing = missingPermissions(state, outcome);
  if (missing.length > 0) return set(conditions, PermissionMissing, permissionVerdict(missing));
  return outcome.kind === 'done' ? conditions.filter(({ type }) => type !== PermissionMissing) : conditions;
}

function permissionVerdict(missing: readonly string[]): ConditionVerdict {
  return {
    status: 'True',
    reason: RayClusterConditionReason.Forbidden,
    message: `The operator may not ${missing.join('; nor ')}. Bind it to the role that "manta rbac" prints, or add the rule to its role.`,
  };
}

function needs({ cluster, spec, context }: ClusterState, kind: ChildKind): boolean {
  switch (kind) {
    case 'ServiceAccount':
    case 'Role':
    case 'RoleBinding':
      return isAutoscalingEnabled(spec);
    case 'Secret':
      return wantsAuthSecret(spec);
    case 'Ingress':
    case 'Route':
      return spec.headGroupSpec.enableIngress === true;
    case 'PersistentVolumeClaim':
      return isGcsFaultToleranceEmbedded(spec);
    case 'Job':
      return context.env.gcsFtRedisCleanup && keepsStateInRedis(cluster, spec);
    default:
      return true;
  }
}
