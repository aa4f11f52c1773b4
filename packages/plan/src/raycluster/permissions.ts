import {
  type Condition,
  type ConditionVerdict,
  isAutoscalingEnabled,
  isGcsFaultToleranceEmbedded,
  RayClusterConditionReason,
  RayClusterConditionType,
} from '@manta/api';
import { wantsAuthSecret } from '../build/auth-secret.ts';
import { keepsStateInRedis } from '../build/redis-cleanup.ts';
import type { ChildKind, PlanOutcome } from '../plan.ts';
import type { Subject } from './subject.ts';

const { PermissionMissing } = RayClusterConditionType;

/** The permissions that this cluster needs and the operator lacks, as far as is known once a plan has been carried out. */
export function missingPermissions(subject: Subject, outcome: PlanOutcome): readonly string[] {
  const unread = [...subject.unreadable].flatMap(([kind, permission]) => (needs(subject, kind) ? [permission] : []));
  return [...new Set([...unread, ...(outcome.missingPermissions ?? [])])].toSorted();
}

/** Says what is missing, and where to get it; goes away when a plan was carried out without missing anything. */
export function withPermissions(
  subject: Subject,
  conditions: readonly Condition[],
  outcome: PlanOutcome,
  set: (conditions: readonly Condition[], type: string, verdict: ConditionVerdict) => readonly Condition[],
): readonly Condition[] {
  const missing = missingPermissions(subject, outcome);
  if (missing.length > 0) return set(conditions, PermissionMissing, permissionVerdict(missing));
  return outcome.kind === 'done' ? conditions.filter(({ type }) => type !== PermissionMissing) : conditions;
}

/** The condition's words. */
export function permissionVerdict(missing: readonly string[]): ConditionVerdict {
  return {
    status: 'True',
    reason: RayClusterConditionReason.Forbidden,
    message: `The operator may not ${missing.join('; nor ')}. Bind it to the role that "manta rbac" prints, or add the rule to its role.`,
  };
}

function needs({ cluster, spec, context }: Subject, kind: ChildKind): boolean {
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
