import type { AssignedCluster } from '../service-state.ts';

/**
 * The arithmetic of an incremental upgrade: how capacity and traffic weights move from one cluster to the other, in percent. Both functions
 * return one step. The operator records a step in the status first, and the clusters and the HTTPRoute follow.
 */
export interface UpgradeProgress {
  readonly activeCapacity: number;
  readonly pendingCapacity: number;
  readonly activeTraffic: number;
  readonly pendingTraffic: number;
}

export interface CapacityStep {
  readonly role: 'active' | 'pending';
  readonly capacity: number;
}

/** The traffic weights of both clusters, in percent; together 100. */
export interface TrafficWeights {
  readonly active: number;
  readonly pending: number;
}

export const FULL = 100;

interface Clusters {
  readonly active: AssignedCluster;
  readonly pending: AssignedCluster;
}

/** Capacity and traffic as the status records them. A missing value means: as before the pending cluster existed. */
export function upgradeProgressOf({ active, pending }: Clusters): UpgradeProgress {
  return {
    activeCapacity: active.status.targetCapacity ?? FULL,
    pendingCapacity: pending.status.targetCapacity ?? 0,
    activeTraffic: active.status.trafficRoutedPercent ?? FULL,
    pendingTraffic: pending.status.trafficRoutedPercent ?? 0,
  };
}

/**
 * The next change of capacity, or undefined while traffic has to follow first. The cluster that gains traffic grows first; the other one
 * shrinks once the traffic has moved. So both together never exceed 100 percent plus the surge, and no traffic goes where there is no
 * capacity. Only a failing cluster makes the other one take more traffic than its capacity; then the capacity follows.
 */
export function nextCapacityStep(
  { activeCapacity, pendingCapacity, activeTraffic, pendingTraffic }: UpgradeProgress,
  maxSurgePercent: number,
  isRollingBack: boolean,
): CapacityStep | undefined {
  const [gaining, losing] = isRollingBack ? (['active', 'pending'] as const) : (['pending', 'active'] as const);
  const capacity = { active: activeCapacity, pending: pendingCapacity };
  const traffic = { active: activeTraffic, pending: pendingTraffic };
  if (capacity[gaining] === FULL && capacity[losing] === 0) return undefined;
  if (traffic[gaining] < capacity[gaining]) return undefined;
  if (activeCapacity + pendingCapacity > FULL) {
    return { role: losing, capacity: Math.max(0, capacity[losing] - maxSurgePercent) };
  }
  return { role: gaining, capacity: Math.min(FULL, capacity[gaining] + maxSurgePercent) };
}

/** The next traffic weights: one step towards the cluster that gains traffic, and never more than its capacity. */
export function nextTrafficWeights(
  { activeCapacity, pendingCapacity, activeTraffic, pendingTraffic }: UpgradeProgress,
  stepSizePercent: number,
  isRollingBack: boolean,
): TrafficWeights {
  const stepped = (traffic: number, capacity: number) =>
    traffic === capacity ? traffic : Math.min(FULL, traffic + stepSizePercent, capacity);
  if (isRollingBack) {
    const active = stepped(activeTraffic, activeCapacity);
    return { active, pending: FULL - active };
  }
  const pending = stepped(pendingTraffic, pendingCapacity);
  return { active: FULL - pending, pending };
}

/**
 * Both clusters with weights that sum up to 100. After a switch of all traffic by another strategy the status may still contain weights of
 * an earlier incremental upgrade. The Service then routes everything to the active cluster, so its weight is 100.
 */
export function withWholeTraffic({ active, pending }: Clusters): Clusters {
  const { activeTraffic, pendingTraffic } = upgradeProgressOf({ active, pending });
  if (pending.name === '' || activeTraffic + pendingTraffic === FULL) return { active, pending };
  return { active: withTraffic(active, FULL), pending: withTraffic(pending, 0) };
}

function withTraffic(cluster: AssignedCluster, trafficRoutedPercent: number): AssignedCluster {
  return cluster.status.trafficRoutedPercent === undefined
    ? cluster
    : { ...cluster, status: { ...cluster.status, trafficRoutedPercent } };
}
