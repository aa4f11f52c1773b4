import type { Shares } from './capacity.ts';
import type { Subject } from './subject.ts';

const FULL = 100;

/** Where capacity and traffic stand. What nobody has written down is as it was before there were two clusters. */
export function sharesOf({ active, pending }: Pick<Subject, 'active' | 'pending'>): Shares {
  return {
    activeCapacity: active.status.targetCapacity ?? FULL,
    pendingCapacity: pending.status.targetCapacity ?? 0,
    activeTraffic: active.status.trafficRoutedPercent ?? FULL,
    pendingTraffic: pending.status.trafficRoutedPercent ?? 0,
  };
}
