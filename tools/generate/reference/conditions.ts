import { RayClusterConditionReason, RayClusterConditionType } from '../../../packages/api/src/raycluster.ts';
import { RayServiceConditionReason, RayServiceConditionType } from '../../../packages/api/src/rayservice.ts';

/** What `True` means. A new condition needs its entry here to compile. */
const RAY_CLUSTER: Readonly<Record<keyof typeof RayClusterConditionType, string>> = {
  Provisioned: 'All pods of the spec have been ready at least once. Stays true until a suspension.',
  HeadPodReady: 'The head pod is running and ready.',
  ReplicaFailure: 'A pod could not be created or deleted; the reason says which, the message why.',
  Suspending: 'The operator deletes the pods.',
  Suspended: 'The cluster has no pods.',
  WorkersRejoined:
    'After a new head: all workers have joined it. `False` counts those that have; they are replaced after a minute. Only Manta.',
  PermissionMissing: 'The operator lacks a permission; the message has the rule to add. Only Manta.',
};

const RAY_SERVICE: Readonly<Record<keyof typeof RayServiceConditionType, string>> = {
  Ready: 'The service answers requests. If not, the message has the last error.',
  UpgradeInProgress: 'A pending cluster exists. The message says what the upgrade waits for.',
  RollbackInProgress: 'An upgrade in steps is being reverted.',
  Suspending: 'The operator deletes clusters and Services.',
  Suspended: 'No cluster and no Service of the service exist.',
};

/** docs/reference/conditions.md */
export function conditionsPage(): string {
  return [
    '# Conditions',
    'Generated from `packages/api/src` by `npm run reference`; do not edit. RayJobs and RayCronJobs have no conditions: `status.jobDeploymentStatus`, `reason` and `message` of a RayJob say where it is.',
    '## RayCluster',
    table(RayClusterConditionType, RAY_CLUSTER),
    `Reasons: ${list(RayClusterConditionReason)}.`,
    '## RayService',
    table(RayServiceConditionType, RAY_SERVICE),
    `Reasons: ${list(RayServiceConditionReason)}.`,
    '',
  ].join('\n\n');
}

function table(types: Readonly<Record<string, string>>, meanings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(types).map(([key, type]) => `| \`${type}\` | ${meanings[key] ?? ''} |`);
  return ['| Condition | `True` means |', '| --- | --- |', ...rows].join('\n');
}

function list(reasons: Readonly<Record<string, string>>): string {
  return Object.values(reasons)
    .map((reason) => `\`${reason}\``)
    .join(', ');
}
