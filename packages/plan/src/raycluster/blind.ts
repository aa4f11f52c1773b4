import { RayClusterConditionType, type RayClusterStatus, withRayClusterDefaults } from '@manta/api';
import { NOTHING, type Plan } from '../plan.ts';
import { withCondition } from '../shared/conditions.ts';
import { planDeletion } from './deletion.ts';
import type { ObservedRayCluster } from './observed.ts';
import { permissionVerdict } from './permissions.ts';
import { subjectOf } from './subject.ts';

/** What can be done for a cluster whose pods or Services we may not read: nothing, except that its deletion ends in time. */
export function planUnseen(observed: ObservedRayCluster): Plan {
  const cluster = withRayClusterDefaults(observed.cluster);
  if (cluster.spec === undefined || cluster.metadata?.deletionTimestamp === undefined) return NOTHING;
  const subject = subjectOf(observed, cluster, cluster.spec);
  return planDeletion(subject, false);
}

/** The status of such a cluster: as it was, with the condition that names what is missing. Undefined when it says so already. */
export function unseenStatus(
  { cluster, context, now }: ObservedRayCluster,
  missing: readonly string[],
): RayClusterStatus | undefined {
  if (!context.gates.RayClusterStatusConditions) return undefined;
  const before = cluster.status?.conditions ?? [];
  const type = RayClusterConditionType.PermissionMissing;
  const verdict = permissionVerdict(missing);
  if (before.some((known) => known.type === type && known.message === verdict.message)) return undefined;
  return { ...cluster.status, conditions: withCondition(before, type, verdict, { now }) };
}
