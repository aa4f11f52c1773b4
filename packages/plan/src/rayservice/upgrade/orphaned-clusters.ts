import { DefaultSeconds, type RayCluster } from '@manta/api';
import type { Action } from '../../plan.ts';
import { deleteCluster } from '../delete-objects.ts';
import type { ServiceCluster } from '../observed.ts';
import { nameOf, type ServiceState } from '../service-state.ts';
import { conditionOf, Type } from '../status/set-condition.ts';

/** What happens to orphaned clusters: those that the service owns and that are neither active nor pending. */
export interface OrphanPlan {
  readonly actions: readonly Action[];
  readonly orphanedSince: Readonly<Record<string, number>>;
  /** Until the next deletion is due. */
  readonly requeueAfterMs: number | undefined;
}

/** Deletes orphaned clusters after `rayClusterDeletionDelaySeconds`, so that their last requests can finish. */
export function planOrphanedClusters(state: ServiceState): OrphanPlan {
  const { now, active, pending } = state;
  const orphans = state.clusters
    .filter((view) => ![active.name, pending.name].includes(nameOf(view)))
    .map((view) => ({ view, since: orphanedAt(state, view) }));
  const delayMs = deletionDelayMs(state);
  const due = orphans.filter(({ since }) => now >= since + delayMs);
  const waits = orphans.map(({ since }) => since + delayMs - now).filter((ms) => ms > 0);
  return {
    actions: due.flatMap(({ view }) => deleteCluster(state, view)),
    orphanedSince: Object.fromEntries(orphans.map(({ view, since }) => [uidOf(view.cluster), since])),
    requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

function deletionDelayMs({ spec }: ServiceState): number {
  return (spec.rayClusterDeletionDelaySeconds ?? DefaultSeconds.RayServiceOldClusterDeletion) * 1000;
}

/**
 * When a cluster became orphaned. A restarted operator does not remember it and uses the end of the last upgrade, if the status shows it,
 * so that a restart does not prolong the delay.
 */
function orphanedAt({ memory, now, lastStatus }: ServiceState, { cluster }: ServiceCluster): number {
  const known = memory.orphanedSince[uidOf(cluster)];
  if (known !== undefined) return Math.min(known, now);
  const upgrade = conditionOf(lastStatus.conditions, Type.UpgradeInProgress);
  if (upgrade?.status !== 'False') return now;
  const upgradeEnd = Date.parse(upgrade.lastTransitionTime);
  const created = Date.parse(cluster.metadata?.creationTimestamp ?? '');
  // A cluster that was created after the upgrade ended was not orphaned by it.
  return Number.isNaN(upgradeEnd) || created >= upgradeEnd ? now : Math.min(now, upgradeEnd);
}

function uidOf({ metadata }: RayCluster): string {
  return metadata?.uid ?? '';
}
