import { type RayServiceStatus, serviceNames } from '@manta/api';
import type { SubmissionPlan } from '../serve/submission.ts';
import { areApplicationsRunning, isHeadReady } from '../serve/serving.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import { serveServiceName } from '../traffic/kube-services.ts';
import { type CapacityGoal, nextTraffic, withTrafficWeight } from '../traffic/migration.ts';
import { newPendingStatus } from '../upgrade/next-cluster.ts';
import type { UpgradeDecision } from '../upgrade/promotion.ts';
import type { RolloutDirection } from '../upgrade/rollback.ts';
import { EMPTY_CLUSTER_STATUS, EMPTY_SERVICE_STATUS } from './empty-status.ts';

/** `activeServiceStatus` and `pendingServiceStatus`. */
export interface ClusterStatuses {
  readonly active: RayServiceStatus;
  readonly pending: RayServiceStatus;
}

/** The status of one cluster as observed; `includesServe`: whether this reconcile reports its Serve applications. */
export function observedStatus(
  state: ServiceState,
  cluster: AssignedCluster,
  includesServe: boolean,
  submission: SubmissionPlan | undefined,
  { assumed }: Pick<CapacityGoal, 'assumed'>,
): RayServiceStatus {
  const { name, status, view, role } = cluster;
  if (name === '') return { ...status, rayClusterStatus: status.rayClusterStatus ?? EMPTY_CLUSTER_STATUS };
  const { applicationStatuses: _old, ...rest } = status;
  const applicationStatuses = includesServe ? applicationsOf(state, cluster) : undefined;
  const capacity = assumed?.role === role ? assumed.capacity : submission?.capacity;
  return {
    ...rest,
    rayClusterStatus: { ...EMPTY_CLUSTER_STATUS, ...view?.cluster.status },
    ...(applicationStatuses === undefined ? {} : { applicationStatuses }),
    ...(capacity === undefined ? {} : { targetCapacity: capacity }),
  };
}

/** The last answer of Serve. A cluster without a ready head has no applications; a head that does not answer keeps its last ones. */
function applicationsOf(
  state: ServiceState,
  { view, status }: AssignedCluster,
): RayServiceStatus['applicationStatuses'] {
  if (view === undefined || !isHeadReady(state, view)) return undefined;
  const { serve } = view;
  if (serve.kind !== 'known') return status.applicationStatuses;
  return Object.keys(serve.applications).length === 0 ? undefined : serve.applications;
}

/** Both statuses with the traffic weights of the next step. */
export function withTraffic(
  state: ServiceState,
  direction: RolloutDirection | undefined,
  { active, pending }: ClusterStatuses,
): ClusterStatuses {
  const { strategy, now } = state;
  if (strategy.kind !== 'incremental' || state.active.view === undefined) return { active, pending };
  if (direction === undefined) {
    return { active: state.pending.name === '' ? withTrafficWeight(active, 100, now) : active, pending };
  }
  const weights = nextTraffic(state, strategy.options, direction);
  // A cluster gets a weight, even 0, once it exists. A deleted cluster loses the weight that it had.
  const isNotCreated = state.pending.view === undefined && pending.trafficRoutedPercent === undefined;
  return {
    active: withTrafficWeight(active, weights.active, now),
    pending: isNotCreated ? pending : withTrafficWeight(pending, weights.pending, now),
  };
}

/** Both statuses after a promotion, a discarded upgrade or the start of a new one. */
export function withDecision(
  state: ServiceState,
  decision: UpgradeDecision,
  { active, pending }: ClusterStatuses,
): ClusterStatuses {
  if (decision.pending === 'promoted') return { active: pending, pending: EMPTY_SERVICE_STATUS };
  if (decision.needsNewCluster) return { active, pending: newPendingStatus(state) };
  return { active, pending: decision.pending === 'discarded' ? EMPTY_SERVICE_STATUS : pending };
}

/** `numServeEndpoints`. The first cluster of an incremental service counts only when its applications run. */
export function countEndpoints(state: ServiceState, { active, pending }: ClusterStatuses): number {
  const { endpoints, strategy } = state;
  if (strategy.kind !== 'incremental') return endpoints.get(serveServiceName(state)) ?? 0;
  const of = ({ rayClusterName }: RayServiceStatus) =>
    rayClusterName ? (endpoints.get(serviceNames.serve(rayClusterName)) ?? 0) : 0;
  const { view } = state.pending;
  const isFirst = !active.rayClusterName;
  return of(active) + (isFirst && (view === undefined || !areApplicationsRunning(view)) ? 0 : of(pending));
}
