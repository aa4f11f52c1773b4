/** Where capacity and traffic of an upgrade in steps stand, in percent. */
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

const FULL = 100;

/**
 * The next change of capacity, if it is time for one. The side that gains traffic grows first; the other one shrinks only when the traffic
 * has followed, so that both together never have more than 100 percent and the surge, and traffic never goes where there is no capacity. Only
 * an emergency gives a side more traffic than capacity; then the capacity follows.
 */
export function nextCapacityStep(
  progress: UpgradeProgress,
  surge: number,
  isRollingBack: boolean,
): CapacityStep | undefined {
  const { activeCapacity, pendingCapacity, activeTraffic, pendingTraffic } = progress;
  const [gaining, losing] = isRollingBack ? (['active', 'pending'] as const) : (['pending', 'active'] as const);
  const capacity = { active: activeCapacity, pending: pendingCapacity };
  const traffic = { active: activeTraffic, pending: pendingTraffic };
  if (capacity[gaining] === FULL && capacity[losing] === 0) return undefined;
  if (traffic[gaining] < capacity[gaining]) return undefined;
  if (activeCapacity + pendingCapacity > FULL) {
    return { role: losing, capacity: Math.max(0, capacity[losing] - surge) };
  }
  return { role: gaining, capacity: Math.min(FULL, capacity[gaining] + surge) };
}
