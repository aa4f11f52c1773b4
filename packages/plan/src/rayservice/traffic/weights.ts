import type { Shares } from './capacity.ts';

/** How much of the traffic goes to which cluster, in percent; together 100. */
export interface Weights {
  readonly active: number;
  readonly pending: number;
}

const FULL = 100;

/** The next step of traffic towards the side that gains, up to the capacity that this side has. */
export function nextWeights(shares: Shares, step: number, isRollingBack: boolean): Weights {
  const { activeCapacity, pendingCapacity, activeTraffic, pendingTraffic } = shares;
  if (isRollingBack) {
    const active =
      activeTraffic === activeCapacity ? activeTraffic : Math.min(FULL, activeTraffic + step, activeCapacity);
    return { active, pending: FULL - active };
  }
  const pending =
    pendingTraffic === pendingCapacity ? pendingTraffic : Math.min(FULL, pendingTraffic + step, pendingCapacity);
  return { active: FULL - pending, pending };
}
