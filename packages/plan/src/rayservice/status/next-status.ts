import { type RayServiceStatus, type RayServiceStatuses, serviceNames } from '@manta/api';
import type { Action } from '../../plan.ts';
import { nextClusterName } from '../upgrade/cluster-name.ts';
import { Type, withoutCondition } from './set-condition.ts';
import { hasFailedUpgrade } from '../upgrade/progress-deadline.ts';
import { type Direction, withRollbackCondition } from '../upgrade/rollback.ts';
import { gatewayProblem } from '../traffic/gateway.ts';
import type { SubmissionPlan } from '../serve/submission.ts';
import { serveServiceName } from '../traffic/kube-services.ts';
import { areApplicationsRunning } from '../serve/serving.ts';
import { type WantedCapacity, intervalLeftMs, wantedWeights, withTrafficWeight } from '../traffic/migration.ts';
import { clusterStatusOf } from './cluster-status.ts';
import { checkTimeout, conditionsOf, timeLeftMs } from './conditions.ts';
import { EMPTY_CLUSTER_STATUS, EMPTY_SERVICE_STATUS } from './status-changes.ts';
import type { ServiceState } from '../service-state.ts';
import type { UpgradeDecision } from '../upgrade/promotion.ts';
import { podFailureOf } from './failure-reason.ts';

/** What was decided in a pass, as far as the status tells it. */
export interface Decisions {
  readonly direction: Direction | undefined;
  readonly capacityGoal: WantedCapacity;
  readonly isActiveAsked: boolean;
  readonly activeSubmission: SubmissionPlan | undefined;
  readonly pendingSubmission: SubmissionPlan | undefined;
  readonly decision: UpgradeDecision;
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
export function nextStatus(state: ServiceState, decisions: Decisions): NextStatus {
  const { service, before, now } = state;
  const { generation } = service.metadata ?? {};
  const setting = { now, generation };
  const sides = succeed(state, decisions.decision, withTraffic(state, decisions, seenSides(state, decisions)));
  const endpoints = countEndpoints(state, sides);
  const isOver = decisions.direction !== undefined && decisions.decision.pending === 'dropped';
  const turned = withRollbackCondition(state, before.conditions ?? [], decisions.direction);
  const configProblem = decisions.pendingSubmission?.configProblem ?? decisions.activeSubmission?.configProblem;
  const isConfigUnusable = (decisions.pendingSubmission ?? decisions.activeSubmission)?.isConfigUnusable === true;
  const podFailure = podFailureOf(state.active.view) ?? podFailureOf(state.pending.view);
  const conditions = conditionsOf(
    isOver ? withoutCondition(turned, Type.RollbackInProgress) : turned,
    {
      ...sides,
      endpoints,
      configProblem,
      isConfigUnusable,
      podFailure,
      hasFailedUpgrade: hasFailedUpgrade(state),
      routing: gatewayProblem(state),
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
  const timedOut = checkTimeout(state, status, setting);
  const final = timedOut?.status ?? status;
  const isReady = final.conditions?.some(({ type, status: value }) => type === Type.Ready && value === 'True') ?? false;
  return {
    status: { ...final, serviceStatus: isReady ? 'Running' : '' },
    actions: timedOut === undefined ? [] : [{ type: 'event', event: timedOut.event }],
    requeueAfterMs: Math.min(...waits(state, decisions, final, isReady)),
  };
}

function seenSides(
  state: ServiceState,
  { capacityGoal, isActiveAsked, activeSubmission, pendingSubmission }: Decisions,
): Sides {
  return {
    active: clusterStatusOf(state, state.active, isActiveAsked, activeSubmission, capacityGoal),
    pending: clusterStatusOf(state, state.pending, true, pendingSubmission, capacityGoal),
  };
}

function withTraffic(state: ServiceState, { direction }: Decisions, { active, pending }: Sides): Sides {
  const { strategy, now } = state;
  if (strategy.kind !== 'incremental' || state.active.view === undefined) return { active, pending };
  if (direction === undefined) {
    return { active: state.pending.name === '' ? withTrafficWeight(active, 100, now) : active, pending };
  }
  const weights = wantedWeights(state, strategy.options, direction);
  const isYetToCome = state.pending.view === undefined && pending.trafficRoutedPercent === undefined;
  return {
    active: withTrafficWeight(active, weights.active, now),
    // A cluster gets a share, be it none, once it is there; one that is gone loses the share that it had.
    pending: isYetToCome ? pending : withTrafficWeight(pending, weights.pending, now),
  };
}

function succeed(state: ServiceState, decision: UpgradeDecision, { active, pending }: Sides): Sides {
  if (decision.pending === 'promoted') return { active: pending, pending: EMPTY_SERVICE_STATUS };
  const left = { active, pending: decision.pending === 'dropped' ? EMPTY_SERVICE_STATUS : pending };
  return decision.needsNewCluster ? { active: left.active, pending: newcomer(state) } : left;
}

/** A name first; the cluster itself is made once the name is written down. */
function newcomer(state: ServiceState): RayServiceStatus {
  const { strategy, active } = state;
  return {
    rayClusterName: nextClusterName(state),
    rayClusterStatus: EMPTY_CLUSTER_STATUS,
    ...(strategy.kind === 'incremental' ? { targetCapacity: active.name === '' ? 100 : 0 } : {}),
  };
}

/** Pods that take Serve traffic. Before the first cluster has taken over, only those whose applications run count. */
function countEndpoints(state: ServiceState, { active, pending }: Sides): number {
  const { endpoints, strategy } = state;
  if (strategy.kind !== 'incremental') return endpoints.get(serveServiceName(state)) ?? 0;
  const of = ({ rayClusterName }: RayServiceStatus) =>
    rayClusterName ? (endpoints.get(serviceNames.serve(rayClusterName)) ?? 0) : 0;
  const { view } = state.pending;
  const isFirst = !active.rayClusterName;
  return of(active) + (isFirst && (view === undefined || !areApplicationsRunning(view)) ? 0 : of(pending));
}

function waits(
  state: ServiceState,
  { direction, activeSubmission, pendingSubmission }: Decisions,
  status: RayServiceStatuses,
  isReady: boolean,
): readonly number[] {
  const { strategy, active, pending } = state;
  const isMoving = !isReady || status.pendingServiceStatus?.rayClusterName !== undefined;
  const rest =
    strategy.kind === 'incremental' && direction !== undefined
      ? intervalLeftMs(state, direction === 'back' ? active : pending, strategy.options)
      : 0;
  const timers = [
    rest,
    timeLeftMs(state, status) ?? 0,
    gatewayProblem(state)?.graceMs ?? 0,
    activeSubmission?.requeueAfterMs ?? 0,
    pendingSubmission?.requeueAfterMs ?? 0,
  ];
  return [isMoving ? MOVING_LOOK_MS : SETTLED_LOOK_MS, ...timers.filter((ms) => ms > 0)];
}
