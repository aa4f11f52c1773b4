import { Label } from '@manta/api';
import { isControlledBy } from '../../build/align-service.ts';
import { compareCluster } from './compare-cluster.ts';
import { hasFailedUpgrade } from './progress-deadline.ts';
import type { ServiceCluster } from '../observed.ts';
import { isRollbackComplete } from './rollback.ts';
import { serveServiceName } from '../traffic/kube-services.ts';
import { areApplicationsRunning, isServing, selectedPods, servingPods } from '../serve/serving.ts';
import { endpointsOf, isRouteCurrent } from '../traffic/migration.ts';
import { isMigratingTraffic, type ServiceState } from '../service-state.ts';

/** Who serves, and who comes and goes, as decided in one pass. */
export interface UpgradeDecision {
  /** The cluster that the service's own Services lead to; undefined while none serves. */
  readonly target: ServiceCluster | undefined;
  /** What becomes of the pending cluster: it takes over, it is given up, or it stays what it is. */
  readonly pending: 'promoted' | 'dropped' | 'kept';
  /** Whether yet another cluster is to be made ready. */
  readonly needsNewCluster: boolean;
}

export function decideUpgrade(state: ServiceState): UpgradeDecision {
  const { active, pending } = state;
  if (shouldPromote(state)) return { target: pending.view, pending: 'promoted', needsNewCluster: false };
  const isDropped = isUpgradeReverted(state) || isRollbackFinished(state);
  const needsNewCluster = isDropped ? needsReplacement(state, active.view) : needsNewClusterFor(state);
  return { target: active.view, pending: isDropped ? 'dropped' : 'kept', needsNewCluster };
}

/** Whether the spec that is wanted asks for a cluster that is neither there nor on its way. */
export function needsNewClusterFor(state: ServiceState): boolean {
  const { active, pending, isRollingBack } = state;
  const isOnItsWay = pending.name !== '' && pending.view === undefined;
  if (isRollingBack || isOnItsWay) return false;
  if (active.view !== undefined && hasFailedUpgrade(state)) return false;
  // The only one that can serve takes over first, outdated or not.
  const isLastHope = active.view === undefined && pending.view !== undefined && areApplicationsRunning(pending.view);
  if (isLastHope) return false;
  const judged = pending.view ?? active.view;
  return judged === undefined || needsReplacement(state, judged);
}

function needsReplacement(state: ServiceState, view: ServiceCluster | undefined): boolean {
  if (view === undefined || state.strategy.kind === 'none' || hasFailedUpgrade(state)) return false;
  return compareCluster(state, view.cluster).verdict === 'different';
}

function shouldPromote(state: ServiceState): boolean {
  const { active, pending, spec, strategy } = state;
  if (pending.view === undefined) return false;
  if (active.view === undefined && areClientsRoutedTo(state, pending.name)) return true;
  const isReady = isServing(state, pending, spec.serveConfigV2 ?? '');
  if (isMigratingTraffic(state)) {
    // A cluster that is lost cannot be gone back to: whoever can serve takes over.
    if (active.view === undefined) return isReady;
    const hasAll = active.status.targetCapacity === 0 && pending.status.trafficRoutedPercent === 100;
    return !state.isRollingBack && hasAll && isRouteCurrent(state);
  }
  if (strategy.kind === 'incremental') return active.name === '' && isReady;
  return isReady && (pending.status.targetCapacity ?? 100) === 100 && canSwitchAllTraffic(state, pending.view);
}

/**
 * Whether the clients of the service are led to a cluster already: it has taken over, and only the word of it was lost. Whatever is wanted
 * of it by now, nobody else serves them.
 */
function areClientsRoutedTo({ services, uid }: ServiceState, cluster: string): boolean {
  return [...services.values()].some(
    (way) => isControlledBy(way, uid) && way.spec?.selector?.[Label.Cluster] === cluster,
  );
}

/**
 * All traffic moves at once, so the next cluster needs a serving pod, unless the active cluster has none either. An EndpointSlice alone does
 * not prove that the active cluster serves: it may be stale, or written by a user.
 */
function canSwitchAllTraffic(state: ServiceState, next: ServiceCluster): boolean {
  const hasEndpoints = (state.endpoints.get(serveServiceName(state)) ?? 0) > 0;
  const isServedNow = hasEndpoints && state.active.view !== undefined && selectedPods(state.active.view).length > 0;
  return !isServedNow || servingPods(next) > 0;
}

/** A spec that is the active cluster's again needs no other cluster, and one that has failed gets none. */
function isUpgradeReverted(state: ServiceState): boolean {
  const { active, pending, strategy } = state;
  if (strategy.kind === 'incremental' || pending.name === '' || active.view === undefined) return false;
  if (hasFailedUpgrade(state)) return true;
  if (compareCluster(state, active.view.cluster).verdict !== 'same') return false;
  return pending.view === undefined || compareCluster(state, pending.view.cluster).verdict !== 'same';
}

function isRollbackFinished(state: ServiceState): boolean {
  if (!isRollbackComplete(state)) return false;
  const { active, pending } = state;
  return isRouteCurrent(state) || endpointsOf(state, pending) === 0 || active.view === undefined;
}
