import type { UpgradeProgress } from './capacity.ts';

/** How much of the traffic goes to which cluster, in percent; together 100. */
export interface TrafficWeights {
  readonly active: number;
  readonly pending: number;
}

const FULL = 100;

/** The next step of traffic towards the side that gains, up to the capacity that this side has. */
export function nextTrafficWeights(progress: UpgradeProgress, step: number, isRollingBack: boolean): TrafficWeights {
  const { activeCapacity, pendingCapacity, activeTraffic, pendingTraffic } = progress;
  if (isRollingBack) {
    const active =
      activeTraffic === activeCapacity ? activeTraffic : Math.min(FULL, activeTraffic + step, activeCapacity);
    return { active, pending: FULL - active };
  }
  const pending =
    pendingTraffic === pendingCapacity ? pendingTraffic : Math.min(FULL, pendingTraffic + step, pendingCapacity);
  return { active: FULL - pending, pending };
}
