import { type RayCluster, RayClusterConditionType } from '@manta/api';

type Status = NonNullable<RayCluster['status']>;

/**
 * Whether somebody may be waiting for this change: a new state, or a condition that became true or ceased to be. Counters, addresses
 * and the first conditions of a cluster that has just begun can wait a moment for more of their kind.
 */
export function isUrgentChange(before: Status | undefined, after: Status): boolean {
  return before?.state !== after.state || truths(before) !== truths(after);
}

/** The conditions that hold, but for the head's readiness: it comes and goes with its probes. */
function truths(status: Status | undefined): string {
  const { HeadPodReady } = RayClusterConditionType;
  const holding = (status?.conditions ?? []).filter(
    ({ type, status: value }) => value === 'True' && type !== HeadPodReady,
  );
  return holding.map(({ type, reason }) => `${type} ${reason}`).join();
}
