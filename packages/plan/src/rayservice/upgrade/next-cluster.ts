import { childNames, type RayServiceStatus } from '@manta/api';
import { derivedSuffix } from '../../raycluster/derived-names.ts';
import type { ServiceCluster } from '../observed.ts';
import { areApplicationsRunning } from '../serve/serving.ts';
import { nameOf, type ServiceState } from '../service-state.ts';
import { EMPTY_CLUSTER_STATUS } from '../status/empty-status.ts';
import { compareCluster } from './compare-cluster.ts';
import { hasFailedUpgrade } from './progress-deadline.ts';

/** Whether the spec asks for a cluster that neither exists nor is about to be created. */
export function needsNewCluster(state: ServiceState): boolean {
  const { active, pending, isRollingBack } = state;
  const isBeingCreated = pending.name !== '' && pending.view === undefined;
  if (isRollingBack || isBeingCreated) return false;
  if (active.view !== undefined && hasFailedUpgrade(state)) return false;
  // The only cluster that can serve is promoted first, even if it is outdated.
  const servesAlone = active.view === undefined && pending.view !== undefined && areApplicationsRunning(pending.view);
  if (servesAlone) return false;
  const newest = pending.view ?? active.view;
  return newest === undefined || isOutdated(state, newest);
}

/** Whether the spec and the strategy ask for another cluster than this one. */
export function isOutdated(state: ServiceState, view: ServiceCluster | undefined): boolean {
  if (view === undefined || state.strategy.kind === 'none' || hasFailedUpgrade(state)) return false;
  return compareCluster(state, view.cluster).verdict === 'different';
}

/** The status of a new pending cluster. The status records its name first; the next reconcile creates it under that name. */
export function newPendingStatus(state: ServiceState): RayServiceStatus {
  const { strategy, active } = state;
  return {
    rayClusterName: nextClusterName(state),
    rayClusterStatus: EMPTY_CLUSTER_STATUS,
    ...(strategy.kind === 'incremental' ? { targetCapacity: active.name === '' ? 100 : 0 } : {}),
  };
}

/**
 * A name that no known cluster has. It looks random but is derived from the service and its clusters: repeating the decision gives the same
 * name, so it cannot create a second cluster.
 */
function nextClusterName(state: ServiceState): string {
  const { name, uid, service, active, pending, clusters } = state;
  const taken = new Set([active.name, pending.name, ...clusters.map(nameOf)]);
  const situation = [...taken].toSorted().join(' ');
  for (let attempt = 0; ; attempt += 1) {
    const seed = [uid, String(service.metadata?.generation ?? 0), situation, String(attempt)];
    const next = childNames.rayCluster(name, derivedSuffix(...seed));
    if (!taken.has(next)) return next;
  }
}
