import type { UpgradeProgress } from './capacity.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';

const FULL = 100;

type Sides = Pick<ServiceState, 'active' | 'pending'>;

/** Where capacity and traffic stand. What nobody has written down is as it was before there were two clusters. */
export function upgradeProgressOf({ active, pending }: Sides): UpgradeProgress {
  return {
    activeCapacity: active.status.targetCapacity ?? FULL,
    pendingCapacity: pending.status.targetCapacity ?? 0,
    activeTraffic: active.status.trafficRoutedPercent ?? FULL,
    pendingTraffic: pending.status.trafficRoutedPercent ?? 0,
  };
}

/**
 * Shares that make a hundred, or none. A cluster that took over all at once, by another strategy, is still said to have what it had by
 * steps; where the Service has led everybody to the active one, it has everything.
 */
export function withWholeTraffic({ active, pending }: Sides): Sides {
  const { activeTraffic, pendingTraffic } = upgradeProgressOf({ active, pending });
  if (pending.name === '' || activeTraffic + pendingTraffic === FULL) return { active, pending };
  return { active: withTraffic(active, FULL), pending: withTraffic(pending, 0) };
}

function withTraffic(side: AssignedCluster, trafficRoutedPercent: number): AssignedCluster {
  return side.status.trafficRoutedPercent === undefined
    ? side
    : { ...side, status: { ...side.status, trafficRoutedPercent } };
}
