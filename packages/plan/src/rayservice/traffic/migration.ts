import { type RayServiceStatus, serviceNames } from '@manta/api';
import { weightOf } from '../../build/http-route.ts';
import { timestamp } from '../../raycluster/conditions.ts';
import { type CapacityStep, nextCapacityStep } from './capacity.ts';
import type { Direction } from '../upgrade/rollback.ts';
import { isRoutingReady } from './gateway.ts';
import {
  answersSomething,
  areApplicationsRunning,
  hasNothingToServe,
  headMemory,
  isHeadReady,
  isServing,
} from '../serve/serving.ts';
import { sharesOf } from './shares.ts';
import type { Pace } from '../upgrade/strategy.ts';
import type { Side, Subject } from '../service-state.ts';
import { nextWeights, type Weights } from './weights.ts';

const FULL = 100;

/** The capacity that a cluster should be told next; undefined where it is told none. */
export interface CapacityWish {
  readonly active: number | undefined;
  readonly pending: number | undefined;
  /** A step that needs no word to the cluster: it shrinks, and its head is not there to hear it. */
  readonly assumed: CapacityStep | undefined;
}

export function wishedCapacity(subject: Subject, pace: Pace, direction: Direction | undefined): CapacityWish {
  const { active, pending } = subject;
  // Whoever serves alone serves in full, also one that took over in the middle of an upgrade.
  const alone = active.status.targetCapacity === undefined ? undefined : FULL;
  const now = { active: active.status.targetCapacity, pending: pending.status.targetCapacity, assumed: undefined };
  if (direction === undefined) return { ...now, active: pending.name === '' ? alone : now.active };
  if (!isRoutingReady(subject) || !isRouteCurrent(subject)) return now;
  const step = nextCapacityStep(sharesOf(subject), pace.surge, direction === 'back');
  if (step === undefined) return now;
  const [side, other] = step.role === 'active' ? [active, pending] : [pending, active];
  const told = toldCapacity(subject, other);
  // Somebody turned round while the other one was being told to grow: that comes to its end first.
  if (told > (other.status.targetCapacity ?? FULL)) return { ...now, [other.role]: told };
  const isShrinking = step.capacity < (side.status.targetCapacity ?? FULL);
  const isDeaf = side.view === undefined || !isHeadReady(subject, side.view);
  return isShrinking && isDeaf ? { ...now, assumed: step } : { ...now, [step.role]: step.capacity };
}

/** The capacity that a cluster was told last, also where the status does not say so yet; 0 where none is known. */
function toldCapacity(subject: Subject, { view }: Side): number {
  if (view === undefined) return 0;
  const { sent, taken } = headMemory(subject, view);
  return sent?.capacity ?? taken?.capacity ?? 0;
}

/** The traffic shares as they should be from now on. A share is written down first, and the route follows it. */
export function wishedWeights(subject: Subject, pace: Pace, direction: Direction): Weights {
  const shares = sharesOf(subject);
  const { active, pending } = subject;
  const now = { active: shares.activeTraffic, pending: shares.pendingTraffic };
  // Whoever is alone has everything.
  if (pending.view === undefined) return { active: FULL, pending: 0 };
  if (!isRouteCurrent(subject)) return now;
  const canActive = canTakeTraffic(subject, active);
  const canPending = canTakeTraffic(subject, pending);
  // No traffic goes where nobody answers while the other side does.
  if (now.pending > 0 && !canPending && canActive && shares.activeCapacity > 0) return { active: FULL, pending: 0 };
  const isPendingServing =
    direction === 'back'
      ? areApplicationsRunning(pending.view)
      : isServing(subject, pending, subject.spec.serveConfigV2 ?? '');
  const canRescue = canPending && shares.pendingCapacity > 0 && answersSomething(pending.view);
  if (now.active > 0 && !canActive && canRescue) {
    return { active: 0, pending: FULL };
  }
  const gaining = direction === 'back' ? active : pending;
  if (restMs(subject, gaining, pace) > 0) return now;
  const isReady = direction === 'back' ? canActive || !canRescue : canPending && isPendingServing;
  return isReady ? nextWeights(shares, pace.step, direction === 'back') : now;
}

/** Pods are ready behind its Service; ready pods say nothing of the applications, so what Serve reports counts too. */
function canTakeTraffic(subject: Subject, side: Side): boolean {
  return endpointsOf(subject, side) > 0 && (side.view === undefined || !hasNothingToServe(side.view));
}

/** How long until traffic may move again; 0: it may. */
export function restMs({ now }: Subject, { status }: Side, { intervalMs }: Pace): number {
  const last = Date.parse(status.lastTrafficMigratedTime ?? '');
  // Clocks of two operators may differ a little; one that was put back by more must not hold the traffic until it has caught up.
  if (Number.isNaN(last) || last - now > CLOCKS_DIFFER_MS) return 0;
  return Math.max(0, last + intervalMs - now);
}

const CLOCKS_DIFFER_MS = 30_000;

/** A side's status with its new share. */
export function withWeight(status: RayServiceStatus, weight: number, now: number): RayServiceStatus {
  if (status.trafficRoutedPercent === weight) return status;
  return { ...status, trafficRoutedPercent: weight, lastTrafficMigratedTime: timestamp(now) };
}

/** Whether the last step has reached the route. */
export function isRouteCurrent({ gatewayApi, active, pending }: Subject): boolean {
  if (gatewayApi.kind !== 'there' || gatewayApi.route === undefined) return false;
  const { route } = gatewayApi;
  const there = [active, pending].filter(({ view }) => view !== undefined);
  return there.every(
    ({ name, status }) => weightOf(route, name) === (there.length === 1 ? FULL : status.trafficRoutedPercent),
  );
}

export function endpointsOf({ endpoints }: Subject, { name }: Side): number {
  return name === '' ? 0 : (endpoints.get(serviceNames.serve(name)) ?? 0);
}
