import { type RayServiceStatus, serviceNames } from '@manta/api';
import { weightOf } from '../../build/http-route.ts';
import { timestamp } from '../../shared/timestamp.ts';
import { type CapacityStep, nextCapacityStep } from './capacity.ts';
import type { Direction } from '../upgrade/rollback.ts';
import { isGatewayRoutingReady } from './gateway.ts';
import {
  answersSomething,
  areApplicationsRunning,
  hasNothingToServe,
  headMemory,
  isHeadReady,
  isServing,
} from '../serve/serving.ts';
import { upgradeProgressOf } from './shares.ts';
import type { IncrementalOptions } from '../upgrade/strategy.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import { nextTrafficWeights, type TrafficWeights } from './weights.ts';

const FULL = 100;

/** The capacity that a cluster should be told next; undefined where it is told none. */
export interface WantedCapacity {
  readonly active: number | undefined;
  readonly pending: number | undefined;
  /** A step that needs no word to the cluster: it shrinks, and its head is not there to hear it. */
  readonly assumed: CapacityStep | undefined;
}

export function wantedCapacity(
  state: ServiceState,
  options: IncrementalOptions,
  direction: Direction | undefined,
): WantedCapacity {
  const { active, pending } = state;
  // Whoever serves alone serves in full, also one that took over in the middle of an upgrade.
  const alone = active.status.targetCapacity === undefined ? undefined : FULL;
  const now = { active: active.status.targetCapacity, pending: pending.status.targetCapacity, assumed: undefined };
  if (direction === undefined) return { ...now, active: pending.name === '' ? alone : now.active };
  if (!isGatewayRoutingReady(state) || !isRouteCurrent(state)) return now;
  const step = nextCapacityStep(upgradeProgressOf(state), options.surge, direction === 'back');
  if (step === undefined) return now;
  const [side, other] = step.role === 'active' ? [active, pending] : [pending, active];
  const told = toldCapacity(state, other);
  // Somebody turned round while the other one was being told to grow: that comes to its end first.
  if (told > (other.status.targetCapacity ?? FULL)) return { ...now, [other.role]: told };
  const isShrinking = step.capacity < (side.status.targetCapacity ?? FULL);
  const isDeaf = side.view === undefined || !isHeadReady(state, side.view);
  return isShrinking && isDeaf ? { ...now, assumed: step } : { ...now, [step.role]: step.capacity };
}

/** The capacity that a cluster was told last, also where the status does not say so yet; 0 where none is known. */
function toldCapacity(state: ServiceState, { view }: AssignedCluster): number {
  if (view === undefined) return 0;
  const { sent, taken } = headMemory(state, view);
  return sent?.capacity ?? taken?.capacity ?? 0;
}

/** The traffic shares as they should be from now on. A share is written down first, and the route follows it. */
export function wantedWeights(state: ServiceState, options: IncrementalOptions, direction: Direction): TrafficWeights {
  const progress = upgradeProgressOf(state);
  const { active, pending } = state;
  const now = { active: progress.activeTraffic, pending: progress.pendingTraffic };
  // Whoever is alone has everything.
  if (pending.view === undefined) return { active: FULL, pending: 0 };
  if (!isRouteCurrent(state)) return now;
  const canActive = canTakeTraffic(state, active);
  const canPending = canTakeTraffic(state, pending);
  // No traffic goes where nobody answers while the other side does.
  if (now.pending > 0 && !canPending && canActive && progress.activeCapacity > 0) return { active: FULL, pending: 0 };
  const isPendingServing =
    direction === 'back'
      ? areApplicationsRunning(pending.view)
      : isServing(state, pending, state.spec.serveConfigV2 ?? '');
  const canRescue = canPending && progress.pendingCapacity > 0 && answersSomething(pending.view);
  if (now.active > 0 && !canActive && canRescue) {
    return { active: 0, pending: FULL };
  }
  const gaining = direction === 'back' ? active : pending;
  if (intervalLeftMs(state, gaining, options) > 0) return now;
  const isReady = direction === 'back' ? canActive || !canRescue : canPending && isPendingServing;
  return isReady ? nextTrafficWeights(progress, options.step, direction === 'back') : now;
}

/** Pods are ready behind its Service; ready pods say nothing of the applications, so what Serve reports counts too. */
function canTakeTraffic(state: ServiceState, side: AssignedCluster): boolean {
  return endpointsOf(state, side) > 0 && (side.view === undefined || !hasNothingToServe(side.view));
}

/** How long until traffic may move again; 0: it may. */
export function intervalLeftMs(
  { now }: ServiceState,
  { status }: AssignedCluster,
  { intervalMs }: IncrementalOptions,
): number {
  const last = Date.parse(status.lastTrafficMigratedTime ?? '');
  // Clocks of two operators may differ a little; one that was put back by more must not hold the traffic until it has caught up.
  if (Number.isNaN(last) || last - now > CLOCKS_DIFFER_MS) return 0;
  return Math.max(0, last + intervalMs - now);
}

const CLOCKS_DIFFER_MS = 30_000;

/** A side's status with its new share. */
export function withTrafficWeight(status: RayServiceStatus, weight: number, now: number): RayServiceStatus {
  if (status.trafficRoutedPercent === weight) return status;
  return { ...status, trafficRoutedPercent: weight, lastTrafficMigratedTime: timestamp(now) };
}

/** Whether the last step has reached the route. */
export function isRouteCurrent({ gatewayApi, active, pending }: ServiceState): boolean {
  if (gatewayApi.kind !== 'available' || gatewayApi.route === undefined) return false;
  const { route } = gatewayApi;
  const there = [active, pending].filter(({ view }) => view !== undefined);
  return there.every(
    ({ name, status }) => weightOf(route, name) === (there.length === 1 ? FULL : status.trafficRoutedPercent),
  );
}

export function endpointsOf({ endpoints }: ServiceState, { name }: AssignedCluster): number {
  return name === '' ? 0 : (endpoints.get(serviceNames.serve(name)) ?? 0);
}
