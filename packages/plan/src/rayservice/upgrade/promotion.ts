import { Label } from '@manta/api';
import { isControlledBy } from '../../build/align-service.ts';
import type { ServiceCluster } from '../observed.ts';
import { isServing, selectedPods, servingPods } from '../serve/serving.ts';
import { isMigratingTraffic, type ServiceState } from '../service-state.ts';
import { serveServiceName } from '../traffic/kube-services.ts';
import { endpointsOf, isRouteCurrent } from '../traffic/migration.ts';
import { compareCluster } from './compare-cluster.ts';
import { isOutdated, needsNewCluster } from './next-cluster.ts';
import { hasFailedUpgrade } from './progress-deadline.ts';
import { isRollbackComplete } from './rollback.ts';

/** What one reconcile decides about the active and the pending cluster. */
export interface UpgradeDecision {
  /** The cluster that the RayService's own Kubernetes Services select; undefined: none serves. */
  readonly target: ServiceCluster | undefined;
  /** The pending cluster becomes active, is given up, or stays pending. */
  readonly pending: 'promoted' | 'discarded' | 'kept';
  /** Another pending cluster is to be created. */
  readonly needsNewCluster: boolean;
}

export function decideUpgrade(state: ServiceState): UpgradeDecision {
  const { active, pending } = state;
  if (shouldPromote(state)) return { target: pending.view, pending: 'promoted', needsNewCluster: false };
  const isDiscarded = isUpgradeReverted(state) || isRollbackFinished(state);
  return {
    target: active.view,
    pending: isDiscarded ? 'discarded' : 'kept',
    needsNewCluster: isDiscarded ? isOutdated(state, active.view) : needsNewCluster(state),
  };
}

/** One case of a pending cluster, and what promotes it in that case. */
interface PromotionRule {
  readonly applies: (state: ServiceState) => boolean;
  readonly promotes: (state: ServiceState, pending: ServiceCluster) => boolean;
}

/** The first rule that applies decides. */
const PROMOTION_RULES: readonly PromotionRule[] = [
  // It was promoted before, and the status write that recorded it was lost. No other cluster serves the clients.
  { applies: (state) => isActiveLost(state) && areClientsRoutedTo(state, state.pending.name), promotes: () => true },
  // A rollback to a lost active cluster is impossible, so the pending cluster takes over as soon as it serves.
  { applies: (state) => isMigratingTraffic(state) && isActiveLost(state), promotes: isReady },
  { applies: isMigratingTraffic, promotes: hasAllCapacityAndTraffic },
  // Without an upgrade in progress an incremental service promotes its first cluster only.
  { applies: isIncremental, promotes: (state) => state.active.name === '' && isReady(state) },
  // NewCluster and Recreate switch all traffic at once.
  {
    applies: () => true,
    promotes: (state, pending) => isReady(state) && isAtFullCapacity(state) && canSwitchAllTraffic(state, pending),
  },
];

function shouldPromote(state: ServiceState): boolean {
  const { view } = state.pending;
  if (view === undefined) return false;
  return PROMOTION_RULES.find(({ applies }) => applies(state))?.promotes(state, view) === true;
}

function isActiveLost({ active }: ServiceState): boolean {
  return active.view === undefined;
}

function isIncremental({ strategy }: ServiceState): boolean {
  return strategy.kind === 'incremental';
}

function isReady(state: ServiceState): boolean {
  return isServing(state, state.pending, state.spec.serveConfigV2 ?? '');
}

function isAtFullCapacity({ pending }: ServiceState): boolean {
  return (pending.status.targetCapacity ?? 100) === 100;
}

function hasAllCapacityAndTraffic(state: ServiceState): boolean {
  const { active, pending, isRollingBack } = state;
  const hasAll = active.status.targetCapacity === 0 && pending.status.trafficRoutedPercent === 100;
  return !isRollingBack && hasAll && isRouteCurrent(state);
}

/** Whether a Kubernetes Service of this RayService already selects the cluster's pods. */
function areClientsRoutedTo({ kubeServices, uid }: ServiceState, cluster: string): boolean {
  return [...kubeServices.values()].some(
    (service) => isControlledBy(service, uid) && service.spec?.selector?.[Label.Cluster] === cluster,
  );
}

/**
 * All traffic moves at once, so the next cluster needs a serving pod, unless the active cluster has none either. An EndpointSlice alone does
 * not prove that the active cluster serves: it may be stale, or written by a user.
 */
function canSwitchAllTraffic(state: ServiceState, next: ServiceCluster): boolean {
  const { active, endpoints } = state;
  const hasEndpoints = (endpoints.get(serveServiceName(state)) ?? 0) > 0;
  const isServedNow = hasEndpoints && active.view !== undefined && selectedPods(active.view).length > 0;
  return !isServedNow || servingPods(next) > 0;
}

/** The pending cluster is not needed: the spec is the active cluster's again, or its upgrade failed. Incremental upgrades roll back instead. */
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
