import { DefaultSeconds, RayServiceEventReason as Event, type RayCluster } from '@manta/api';
import { deleteOwn } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { conditionOf, Type } from '../status/set-condition.ts';
import type { ServiceCluster } from '../observed.ts';
import { fullName, nameOf, type ServiceState } from '../service-state.ts';

/** What becomes of clusters that the service no longer uses. */
export interface OrphanPlan {
  readonly actions: readonly Action[];
  readonly orphanedSince: Readonly<Record<string, number>>;
  /** Until the next one is due. */
  readonly requeueAfterMs: number | undefined;
}

/** Deletes clusters of no use after the delay in which their last requests can end. */
export function planOrphanedClusters(state: ServiceState): OrphanPlan {
  const { now, active, pending } = state;
  const unused = state.clusters.filter((view) => ![active.name, pending.name].includes(nameOf(view)));
  const timed = unused.map((view) => ({ view, since: sinceWhen(state, view) }));
  const delayMs = deletionDelayMs(state);
  const due = timed.filter(({ since }) => now >= since + delayMs);
  const waits = timed.map(({ since }) => since + delayMs - now).filter((ms) => ms > 0);
  return {
    actions: due.flatMap(({ view }) => deleteCluster(state, view)),
    orphanedSince: Object.fromEntries(timed.map(({ view, since }) => [uidOf(view.cluster), since])),
    requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Deletes a cluster that is not going already. */
export function deleteCluster(
  state: ServiceState,
  { cluster }: ServiceCluster,
  because = '',
  propagation: 'Background' | 'Foreground' = 'Background',
): readonly Action[] {
  const { name = '', deletionTimestamp } = cluster.metadata ?? {};
  if (deletionTimestamp !== undefined) return [];
  const told = `the RayCluster ${fullName(state, name)}${because}`;
  return deleteOwn(state.uid, 'RayCluster', cluster, {
    propagation,
    done: normal(Event.DeletedRayCluster, 'Delete', `Deleted ${told}`),
    failed: warning(Event.FailedToDeleteRayCluster, 'Delete', `Failed to delete ${told}:`),
  });
}

function deletionDelayMs({ spec }: ServiceState): number {
  return (spec.rayClusterDeletionDelaySeconds ?? DefaultSeconds.RayServiceOldClusterDeletion) * 1000;
}

/**
 * Since when a cluster has been of no use. After a restart nobody remembers; then it is the moment at which the last upgrade ended, as
 * long as that is known, so that a restart does not prolong the wait.
 */
function sinceWhen({ memory, now, before }: ServiceState, { cluster }: ServiceCluster): number {
  const known = memory.orphanedSince[uidOf(cluster)];
  if (known !== undefined) return Math.min(known, now);
  const upgrade = conditionOf(before.conditions, Type.UpgradeInProgress);
  if (upgrade?.status !== 'False') return now;
  const ended = Date.parse(upgrade.lastTransitionTime);
  const made = Date.parse(cluster.metadata?.creationTimestamp ?? '');
  // A cluster that is younger than the end of the upgrade was not left behind by it.
  return Number.isNaN(ended) || made >= ended ? now : Math.min(now, ended);
}

function uidOf({ metadata }: RayCluster): string {
  return metadata?.uid ?? '';
}
