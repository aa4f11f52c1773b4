import { type RayServiceStatus, type RayServiceStatuses, serviceNames } from '@manta/api';
import type { Action } from '../../plan.ts';
import { nextClusterName } from '../upgrade/cluster-name.ts';
import { Type, withoutCondition } from './set-condition.ts';
import { isRejected } from '../upgrade/progress-deadline.ts';
import { type Direction, withDirection } from '../upgrade/rollback.ts';
import { routingTrouble } from '../traffic/gateway.ts';
import type { SubmissionPlan } from '../serve/submission.ts';
import { serveServiceName } from '../traffic/kube-services.ts';
import { areApplicationsRunning } from '../serve/serving.ts';
import { type CapacityWish, restMs, wishedWeights, withWeight } from '../traffic/migration.ts';
import { seenSide } from './cluster-status.ts';
import { checkTimeout, conditionsOf, timeLeftMs } from './conditions.ts';
import { EMPTY_CLUSTER_STATUS, EMPTY_SIDE } from './status-changes.ts';
import type { Subject } from '../service-state.ts';
import type { Succession } from '../upgrade/promotion.ts';
import { podTroubleOf } from './failure-reason.ts';

/** What was decided in a pass, as far as the status tells it. */
export interface Decisions {
  readonly direction: Direction | undefined;
  readonly wish: CapacityWish;
  readonly isActiveAsked: boolean;
  readonly toActive: SubmissionPlan | undefined;
  readonly toPending: SubmissionPlan | undefined;
  readonly succession: Succession;
}

interface Sides {
  readonly active: RayServiceStatus;
  readonly pending: RayServiceStatus;
}

export interface NextStatus {
  readonly status: RayServiceStatuses;
  readonly actions: readonly Action[];
  readonly requeueAfterMs: number;
}

/** Everything is looked at again after this time, whatever is heard in between. */
const SETTLED_LOOK_MS = 60_000;
const MOVING_LOOK_MS = 5_000;

/** The status of a service once the actions of a pass have been carried out. */
export function nextStatus(subject: Subject, decisions: Decisions): NextStatus {
  const { service, before, now } = subject;
  const { generation } = service.metadata ?? {};
  const setting = { now, generation };
  const sides = succeed(subject, decisions.succession, withTraffic(subject, decisions, seenSides(subject, decisions)));
  const endpoints = countEndpoints(subject, sides);
  const isOver = decisions.direction !== undefined && decisions.succession.pending === 'dropped';
  const turned = withDirection(subject, before.conditions ?? [], decisions.direction);
  const complaint = decisions.toPending?.complaint ?? decisions.toActive?.complaint;
  const isUnusable = (decisions.toPending ?? decisions.toActive)?.isUnusable === true;
  const podTrouble = podTroubleOf(subject.active.view) ?? podTroubleOf(subject.pending.view);
  const conditions = conditionsOf(
    isOver ? withoutCondition(turned, Type.RollbackInProgress) : turned,
    {
      ...sides,
      endpoints,
      complaint,
      isUnusable,
      podTrouble,
      isRejected: isRejected(subject),
      routing: routingTrouble(subject),
    },
    setting,
  );
  const status: RayServiceStatuses = {
    ...before,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    activeServiceStatus: sides.active,
    pendingServiceStatus: sides.pending,
    numServeEndpoints: endpoints,
    conditions,
  };
  const timedOut = checkTimeout(subject, status, setting);
  const final = timedOut?.status ?? status;
  const isReady = final.conditions?.some(({ type, status: value }) => type === Type.Ready && value === 'True') ?? false;
  return {
    status: { ...final, serviceStatus: isReady ? 'Running' : '' },
    actions: timedOut === undefined ? [] : [{ type: 'event', event: timedOut.event }],
    requeueAfterMs: Math.min(...waits(subject, decisions, final, isReady)),
  };
}

function seenSides(subject: Subject, { wish, isActiveAsked, toActive, toPending }: Decisions): Sides {
  return {
    active: seenSide(subject, subject.active, isActiveAsked, toActive, wish),
    pending: seenSide(subject, subject.pending, true, toPending, wish),
  };
}

function withTraffic(subject: Subject, { direction }: Decisions, { active, pending }: Sides): Sides {
  const { strategy, now } = subject;
  if (strategy.kind !== 'incremental' || subject.active.view === undefined) return { active, pending };
  if (direction === undefined) {
    return { active: subject.pending.name === '' ? withWeight(active, 100, now) : active, pending };
  }
  const weights = wishedWeights(subject, strategy.pace, direction);
  const isYetToCome = subject.pending.view === undefined && pending.trafficRoutedPercent === undefined;
  return {
    active: withWeight(active, weights.active, now),
    // A cluster gets a share, be it none, once it is there; one that is gone loses the share that it had.
    pending: isYetToCome ? pending : withWeight(pending, weights.pending, now),
  };
}

function succeed(subject: Subject, succession: Succession, { active, pending }: Sides): Sides {
  if (succession.pending === 'promoted') return { active: pending, pending: EMPTY_SIDE };
  const left = { active, pending: succession.pending === 'dropped' ? EMPTY_SIDE : pending };
  return succession.needsNext ? { active: left.active, pending: newcomer(subject) } : left;
}

/** A name first; the cluster itself is made once the name is written down. */
function newcomer(subject: Subject): RayServiceStatus {
  const { strategy, active } = subject;
  return {
    rayClusterName: nextClusterName(subject),
    rayClusterStatus: EMPTY_CLUSTER_STATUS,
    ...(strategy.kind === 'incremental' ? { targetCapacity: active.name === '' ? 100 : 0 } : {}),
  };
}

/** Pods that take Serve traffic. Before the first cluster has taken over, only those whose applications run count. */
function countEndpoints(subject: Subject, { active, pending }: Sides): number {
  const { endpoints, strategy } = subject;
  if (strategy.kind !== 'incremental') return endpoints.get(serveServiceName(subject)) ?? 0;
  const of = ({ rayClusterName }: RayServiceStatus) =>
    rayClusterName ? (endpoints.get(serviceNames.serve(rayClusterName)) ?? 0) : 0;
  const { view } = subject.pending;
  const isFirst = !active.rayClusterName;
  return of(active) + (isFirst && (view === undefined || !areApplicationsRunning(view)) ? 0 : of(pending));
}

function waits(
  subject: Subject,
  { direction, toActive, toPending }: Decisions,
  status: RayServiceStatuses,
  isReady: boolean,
): readonly number[] {
  const { strategy, active, pending } = subject;
  const isMoving = !isReady || status.pendingServiceStatus?.rayClusterName !== undefined;
  const rest =
    strategy.kind === 'incremental' && direction !== undefined
      ? restMs(subject, direction === 'back' ? active : pending, strategy.pace)
      : 0;
  const timers = [
    rest,
    timeLeftMs(subject, status) ?? 0,
    routingTrouble(subject)?.hopeMs ?? 0,
    toActive?.requeueAfterMs ?? 0,
    toPending?.requeueAfterMs ?? 0,
  ];
  return [isMoving ? MOVING_LOOK_MS : SETTLED_LOOK_MS, ...timers.filter((ms) => ms > 0)];
}
