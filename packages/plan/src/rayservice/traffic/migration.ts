import { type RayServiceStatus, serviceNames, timestamp } from '@manta/api';
import { weightOf } from '../../build/http-route.ts';
import { headMemoryOf } from '../memory.ts';
import { answersSomething, hasNothingToServe, isHeadReady, isServing } from '../serve/serving.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import type { RolloutDirection } from '../upgrade/rollback.ts';
import type { IncrementalOptions } from '../upgrade/strategy.ts';
import { isGatewayRoutingReady } from './gateway-readiness.ts';
import {
  type CapacityStep,
  FULL,
  nextCapacityStep,
  nextTrafficWeights,
  type TrafficWeights,
  type UpgradeProgress,
  upgradeProgressOf,
} from './steps.ts';

/** The `target_capacity` that each cluster should have next; undefined: none is sent, which means full capacity. */
export interface CapacityGoal {
  readonly active: number | undefined;
  readonly pending: number | undefined;
  /** A step that is recorded in the status without a PUT: the cluster shrinks, and its head cannot be reached. */
  readonly assumed: CapacityStep | undefined;
}

/** The capacity goal of an incremental upgrade; without an incremental strategy both clusters serve at full capacity. */
export function capacityGoalOf(state: ServiceState, direction: RolloutDirection | undefined): CapacityGoal {
  const { active, pending, strategy } = state;
  const current = { active: active.status.targetCapacity, pending: pending.status.targetCapacity, assumed: undefined };
  // A cluster that was never given a capacity has its full capacity already.
  const full = ({ status }: AssignedCluster) => (status.targetCapacity === undefined ? undefined : FULL);
  if (strategy.kind !== 'incremental') return { active: full(active), pending: full(pending), assumed: undefined };
  if (direction === undefined) return { ...current, active: pending.name === '' ? full(active) : current.active };
  if (!isGatewayRoutingReady(state) || !isRouteCurrent(state)) return current;
  const step = nextCapacityStep(upgradeProgressOf(state), strategy.options.maxSurgePercent, direction === 'rollback');
  return step === undefined ? current : withStep(state, current, step);
}

function withStep(state: ServiceState, current: CapacityGoal, step: CapacityStep): CapacityGoal {
  const { active, pending } = state;
  const [cluster, other] = step.role === 'active' ? [active, pending] : [pending, active];
  const requested = requestedCapacity(state, other);
  // The upgrade changed its direction while the other cluster was growing: let that step finish first.
  if (requested > (other.status.targetCapacity ?? FULL)) return { ...current, [other.role]: requested };
  const isShrinking = step.capacity < (cluster.status.targetCapacity ?? FULL);
  const isUnreachable = cluster.view === undefined || !isHeadReady(state, cluster.view);
  return isShrinking && isUnreachable ? { ...current, assumed: step } : { ...current, [step.role]: step.capacity };
}

/** The last capacity that was sent to a cluster, even if the status does not contain it yet; 0 when none is known. */
function requestedCapacity(state: ServiceState, { view }: AssignedCluster): number {
  if (view === undefined) return 0;
  const { inFlight, accepted } = headMemoryOf(state, view);
  return inFlight?.capacity ?? accepted?.capacity ?? 0;
}

/** What the rules for traffic weights look at. */
interface TrafficFacts {
  readonly state: ServiceState;
  readonly options: IncrementalOptions;
  readonly direction: RolloutDirection;
  readonly progress: UpgradeProgress;
  readonly current: TrafficWeights;
  /** The cluster has ready pods, and Serve does not report that it cannot answer. */
  readonly canActiveServe: boolean;
  readonly canPendingServe: boolean;
  /** The pending cluster can answer requests in place of the active cluster. */
  readonly canPendingRescue: boolean;
}

type TrafficRule = (facts: TrafficFacts) => TrafficWeights | undefined;

const ALL_TO_ACTIVE: TrafficWeights = { active: FULL, pending: 0 };
const ALL_TO_PENDING: TrafficWeights = { active: 0, pending: FULL };

/** The first rule that gives weights decides; otherwise the weights stay. */
const TRAFFIC_RULES: readonly TrafficRule[] = [
  sendAllToTheOnlyCluster,
  waitForTheRoute,
  leavePendingThatCannotServe,
  leaveActiveThatCannotServe,
  waitForTheInterval,
  stepTowardsTheGainingCluster,
];

/** The next traffic weights of an incremental upgrade. The status records them first, and the HTTPRoute follows. */
export function nextTraffic(
  state: ServiceState,
  options: IncrementalOptions,
  direction: RolloutDirection,
): TrafficWeights {
  const { active, pending } = state;
  const progress = upgradeProgressOf(state);
  const current = { active: progress.activeTraffic, pending: progress.pendingTraffic };
  const canPendingServe = canServe(state, pending);
  const facts: TrafficFacts = {
    state,
    options,
    direction,
    progress,
    current,
    canActiveServe: canServe(state, active),
    canPendingServe,
    canPendingRescue:
      canPendingServe && progress.pendingCapacity > 0 && pending.view !== undefined && answersSomething(pending.view),
  };
  for (const rule of TRAFFIC_RULES) {
    const weights = rule(facts);
    if (weights !== undefined) return weights;
  }
  return current;
}

function sendAllToTheOnlyCluster({ state }: TrafficFacts): TrafficWeights | undefined {
  return state.pending.view === undefined ? ALL_TO_ACTIVE : undefined;
}

function waitForTheRoute({ state, current }: TrafficFacts): TrafficWeights | undefined {
  return isRouteCurrent(state) ? undefined : current;
}

/** No traffic stays on a cluster that cannot answer while the other one can. */
function leavePendingThatCannotServe(facts: TrafficFacts): TrafficWeights | undefined {
  const { current, progress, canActiveServe, canPendingServe } = facts;
  const canMove = canActiveServe && progress.activeCapacity > 0;
  return current.pending > 0 && !canPendingServe && canMove ? ALL_TO_ACTIVE : undefined;
}

function leaveActiveThatCannotServe(facts: TrafficFacts): TrafficWeights | undefined {
  const { current, canActiveServe, canPendingRescue } = facts;
  return current.active > 0 && !canActiveServe && canPendingRescue ? ALL_TO_PENDING : undefined;
}

function waitForTheInterval({ state, options, direction, current }: TrafficFacts): TrafficWeights | undefined {
  return intervalLeftMs(state, options, direction) > 0 ? current : undefined;
}

function stepTowardsTheGainingCluster(facts: TrafficFacts): TrafficWeights | undefined {
  const { state, options, direction, progress, canActiveServe, canPendingServe, canPendingRescue } = facts;
  const isReady =
    direction === 'rollback'
      ? canActiveServe || !canPendingRescue
      : canPendingServe && isServing(state, state.pending, state.spec.serveConfigV2 ?? '');
  return isReady ? nextTrafficWeights(progress, options.stepSizePercent, direction === 'rollback') : undefined;
}

/** Ready pods alone do not show that applications run, so what Serve reports counts too. */
function canServe(state: ServiceState, cluster: AssignedCluster): boolean {
  return endpointsOf(state, cluster) > 0 && (cluster.view === undefined || !hasNothingToServe(cluster.view));
}

/** How long until `intervalSeconds` have passed since the last step of traffic; 0: the next step may come. */
export function intervalLeftMs(
  { now, active, pending }: ServiceState,
  { intervalMs }: IncrementalOptions,
  direction: RolloutDirection,
): number {
  const { lastTrafficMigratedTime = '' } = (direction === 'rollback' ? active : pending).status;
  const last = Date.parse(lastTrafficMigratedTime);
  // Clocks of two operators may differ a little. After a clock was set back by more, traffic does not wait for it to catch up.
  if (Number.isNaN(last) || last - now > MAX_CLOCK_SKEW_MS) return 0;
  return Math.max(0, last + intervalMs - now);
}

const MAX_CLOCK_SKEW_MS = 30_000;

/** A cluster's status with another traffic weight. */
export function withTrafficWeight(status: RayServiceStatus, weight: number, now: number): RayServiceStatus {
  if (status.trafficRoutedPercent === weight) return status;
  return { ...status, trafficRoutedPercent: weight, lastTrafficMigratedTime: timestamp(now) };
}

/** Whether the HTTPRoute has the traffic weights that the status records. */
export function isRouteCurrent({ gatewayApi, active, pending }: ServiceState): boolean {
  if (gatewayApi.kind !== 'available' || gatewayApi.route === undefined) return false;
  const { route } = gatewayApi;
  const existing = [active, pending].filter(({ view }) => view !== undefined);
  return existing.every(
    ({ name, status }) => weightOf(route, name) === (existing.length === 1 ? FULL : status.trafficRoutedPercent),
  );
}

/** Ready pods behind the cluster's own serve Service. */
export function endpointsOf({ endpoints }: ServiceState, { name }: AssignedCluster): number {
  return name === '' ? 0 : (endpoints.get(serviceNames.serve(name)) ?? 0);
}
