import { isConditionTrue, RayClusterConditionType, type RayClusterStatus } from '@manta/api';

const { HeadPodReady, PermissionMissing, Suspended, Suspending, WorkersRejoined } = RayClusterConditionType;

type Status = RayClusterStatus | undefined;

/**
 * Whether a user may be waiting for this change: a new state, or a condition that became true or ceased to be true. Changes of counters
 * and addresses, and the first conditions of a new cluster, are debounced. So is the head's readiness, which changes with its probes.
 */
export function isUrgentChange(before: Status, after: RayClusterStatus): boolean {
  return before?.state !== after.state || trueConditions(before) !== trueConditions(after);
}

function trueConditions(status: Status): string {
  const isTrue = (status?.conditions ?? []).filter(
    ({ type, status: value }) => value === 'True' && type !== HeadPodReady,
  );
  return isTrue.map(({ type, reason }) => `${type} ${reason}`).join();
}

/** What changes while a cluster starts. */
export function startupDigest({
  readyWorkerReplicas,
  availableWorkerReplicas,
  head,
  conditions = [],
}: RayClusterStatus): string {
  const reasons = conditions.map(({ status, reason }) => [status, reason]);
  return JSON.stringify([readyWorkerReplicas, availableWorkerReplicas, head, reasons]);
}

/** How soon an optional step is tried again for which a permission was missing. */
const PERMISSION_REQUEUE_MS = 30_000;

/** The next decision depends on these conditions: a suspension continues, or Ray is no longer asked. */
const STEPS: readonly string[] = [Suspending, Suspended, WorkersRejoined];

/** When to reconcile again because of what the status says now; `after` is `before` when nothing was written. */
export function requeueAfterStatusMs(before: Status, after: Status): number | undefined {
  if (stepsIn(before) !== stepsIn(after)) return 0;
  return isConditionTrue(after?.conditions, PermissionMissing) ? PERMISSION_REQUEUE_MS : undefined;
}

function stepsIn(status: Status): string {
  const conditions = status?.conditions ?? [];
  return conditions
    .flatMap(({ type, status: value }) => (STEPS.includes(type) && value === 'True' ? [type] : []))
    .join();
}
