import type { Condition, RayServiceStatuses } from '@manta/api';
import type { Action } from '../../plan.ts';
import type { SubmissionPlan } from '../serve/submission.ts';
import type { ServiceState } from '../service-state.ts';
import { gatewayProblem } from '../traffic/gateway-readiness.ts';
import { type CapacityGoal, intervalLeftMs } from '../traffic/migration.ts';
import { hasFailedUpgrade } from '../upgrade/progress-deadline.ts';
import type { UpgradeDecision } from '../upgrade/promotion.ts';
import { type RolloutDirection, withRollbackCondition } from '../upgrade/rollback.ts';
import { applicationTrouble, warnAboutApplication } from './application-trouble.ts';
import { awaited } from './awaited.ts';
import { type ClusterStatuses, countEndpoints, observedStatus, withDecision, withTraffic } from './cluster-status.ts';
import { conditionsOf } from './conditions.ts';
import { podFailureOf } from './failure-reason.ts';
import { checkInitializingTimeout, initializingTimeLeftMs } from './initializing-timeout.ts';
import { type Setting, Type, withoutCondition } from './set-condition.ts';

/** What one reconcile decided about a running service. */
export interface Decisions {
  /** Where an incremental upgrade moves traffic. */
  readonly direction: RolloutDirection | undefined;
  readonly capacityGoal: CapacityGoal;
  /** Whether the status reports the Serve applications of the active cluster. */
  readonly includesActiveServe: boolean;
  readonly activeSubmission: SubmissionPlan | undefined;
  readonly pendingSubmission: SubmissionPlan | undefined;
  readonly upgrade: UpgradeDecision;
}

export interface NextStatus {
  readonly status: RayServiceStatuses;
  readonly actions: readonly Action[];
  readonly requeueAfterMs: number;
}

/** The longest time between two reconciles, of a ready service and of one that starts or is upgraded. */
const READY_REQUEUE_MS = 60_000;
const CHANGING_REQUEUE_MS = 5_000;

/** The status of a running service after the actions of a reconcile. */
export function nextStatus(state: ServiceState, decisions: Decisions): NextStatus {
  const { service, lastStatus, now } = state;
  const { generation } = service.metadata ?? {};
  const setting = { now, generation };
  const clusters = nextClusterStatuses(state, decisions);
  const endpoints = countEndpoints(state, clusters);
  const status: RayServiceStatuses = {
    ...lastStatus,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    activeServiceStatus: clusters.active,
    pendingServiceStatus: clusters.pending,
    numServeEndpoints: endpoints,
    conditions: nextConditions(state, decisions, { ...clusters, endpoints }, setting),
  };
  const timedOut = checkInitializingTimeout(state, status, setting);
  const final = timedOut?.status ?? status;
  const isReady = final.conditions?.some(({ type, status: value }) => type === Type.Ready && value === 'True') ?? false;
  return {
    status: { ...final, serviceStatus: isReady ? 'Running' : '' },
    actions: [
      ...applicationWarnings(state, decisions, clusters),
      ...(timedOut === undefined ? [] : [{ type: 'event', event: timedOut.event } as const]),
    ],
    requeueAfterMs: Math.min(...requeueTimes(state, decisions, final, isReady)),
  };
}

function nextClusterStatuses(state: ServiceState, decisions: Decisions): ClusterStatuses {
  const { capacityGoal, includesActiveServe, activeSubmission, pendingSubmission, direction, upgrade } = decisions;
  const observed = {
    active: observedStatus(state, state.active, includesActiveServe, activeSubmission, capacityGoal),
    pending: observedStatus(state, state.pending, true, pendingSubmission, capacityGoal),
  };
  return withDecision(state, upgrade, withTraffic(state, direction, observed));
}

/** After a promotion or a discarded upgrade, roles and statuses do not match: the next reconcile warns. */
function applicationWarnings(
  state: ServiceState,
  { upgrade }: Decisions,
  { active, pending }: ClusterStatuses,
): readonly Action[] {
  if (upgrade.pending === 'promoted') return [];
  const ofPending = pending.rayClusterName === state.pending.name ? pending : {};
  return [
    ...warnAboutApplication(state, state.active, active),
    ...warnAboutApplication(state, state.pending, ofPending),
  ];
}

function nextConditions(
  state: ServiceState,
  { direction, upgrade, activeSubmission, pendingSubmission }: Decisions,
  { active, pending, endpoints }: ClusterStatuses & { readonly endpoints: number },
  setting: Setting,
): readonly Condition[] {
  const rollback = withRollbackCondition(state, state.lastStatus.conditions ?? [], direction);
  const isRollbackOver = direction !== undefined && upgrade.pending === 'discarded';
  return conditionsOf(
    isRollbackOver ? withoutCondition(rollback, Type.RollbackInProgress) : rollback,
    {
      active,
      pending,
      endpoints,
      configProblem: pendingSubmission?.configProblem ?? activeSubmission?.configProblem,
      isConfigUnusable: (pendingSubmission ?? activeSubmission)?.isConfigUnusable === true,
      podFailure: podFailureOf(state.active.view) ?? podFailureOf(state.pending.view),
      applicationTrouble: upgrade.pending === 'promoted' ? undefined : applicationTrouble(state, state.active, active),
      awaited: awaited(state, { active, pending }),
      hasFailedUpgrade: hasFailedUpgrade(state),
      gateway: gatewayProblem(state),
    },
    setting,
  );
}

function requeueTimes(
  state: ServiceState,
  { direction, activeSubmission, pendingSubmission }: Decisions,
  status: RayServiceStatuses,
  isReady: boolean,
): readonly number[] {
  const { strategy } = state;
  const isChanging = !isReady || status.pendingServiceStatus?.rayClusterName !== undefined;
  const isProxySilent =
    state.spec.excludeHeadPodFromServeSvc !== true && state.active.view?.isProxyHealthy === undefined;
  const isMoving = strategy.kind === 'incremental' && direction !== undefined;
  const timers = [
    isMoving ? intervalLeftMs(state, strategy.options, direction) : 0,
    initializingTimeLeftMs(state, status) ?? 0,
    gatewayProblem(state)?.graceMs ?? 0,
    activeSubmission?.requeueAfterMs ?? 0,
    pendingSubmission?.requeueAfterMs ?? 0,
  ];
  return [isChanging || isProxySilent ? CHANGING_REQUEUE_MS : READY_REQUEUE_MS, ...timers.filter((ms) => ms > 0)];
}
