import { isManagedExternally, type RayServiceStatuses, RayServiceEventReason as Event, timestamp } from '@manta/api';
import { type Action, type Plan, type PlanOutcome, type ReconcilePlan, warning } from '../plan.ts';
import { planDeletion, planFinalizer } from './finalizer.ts';
import { EMPTY_SERVICE_MEMORY, type ServiceMemory } from './memory.ts';
import type { ObservedRayService } from './observed.ts';
import { planSubmissions, rememberHeads, withResults } from './serve/cluster-submissions.ts';
import { type ServiceState, serviceStateOf } from './service-state.ts';
import { EMPTY_SERVICE_STATUS } from './status/empty-status.ts';
import { isInitializingTimedOut } from './status/initializing-timeout.ts';
import { nextStatus } from './status/next-status.ts';
import { rememberRunning } from './status/application-trouble.ts';
import { conditionOf, no, Reason, Type, withCondition } from './status/set-condition.ts';
import { isWorthWriting, withoutEmpties } from './status/status-changes.ts';
import { planSuspension, resumedStatus } from './suspend.ts';
import { capacityGoalOf } from './traffic/migration.ts';
import { routeTraffic } from './traffic/route-traffic.ts';
import { planServeLabel } from './traffic/serve-label.ts';
import { adoptedStatus } from './upgrade/adopt-clusters.ts';
import { planClusters } from './upgrade/clusters.ts';
import { planOrphanedClusters } from './upgrade/orphaned-clusters.ts';
import { planProgressDeadline } from './upgrade/progress-deadline.ts';
import { decideUpgrade } from './upgrade/promotion.ts';
import { rolloutDirection } from './upgrade/rollback.ts';
import { warnAboutNodeCapacity, warnAboutStuckUpgrade } from './upgrade/warnings.ts';
import { validateService } from './validation.ts';

/** A plan for a RayService. Its memory is always given. */
export interface RayServicePlan extends ReconcilePlan<RayServiceStatuses, ServiceMemory> {
  readonly memory: ServiceMemory;
}

/** Returns a plan if it decides about this service; undefined leaves the decision to the next policy. */
type Policy = (state: ServiceState) => RayServicePlan | undefined;

/** A service that none of these policies stops runs, after it has resumed and adopted running clusters. */
const BEFORE_RUNNING: readonly Policy[] = [ignoreForeignService, deleteService, rejectInvalidSpec, suspendService];

/** A running service that none of these policies stops serves and is upgraded. */
const WHILE_RUNNING: readonly Policy[] = [stayTimedOut, waitForGatewayApi];

/**
 * What happens to a RayService. A service that runs has an active cluster, which serves, and during an upgrade a pending cluster. The status
 * names both: a name is recorded first, the cluster is created in the next reconcile, and the pending cluster is promoted when it serves.
 */
export function planRayService(observed: ObservedRayService, memory: ServiceMemory): RayServicePlan {
  const state = serviceStateOf(observed, memory);
  return firstPlan(BEFORE_RUNNING, state) ?? planRunning(adoptRunningClusters(resumeService(state)));
}

function planRunning(state: ServiceState): RayServicePlan {
  return firstPlan(WHILE_RUNNING, state) ?? serveAndUpgrade(state);
}

function firstPlan(policies: readonly Policy[], state: ServiceState): RayServicePlan | undefined {
  for (const policy of policies) {
    const plan = policy(state);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

/** `spec.managedBy` names another controller, e.g. Kueue. */
function ignoreForeignService({ service }: ServiceState): RayServicePlan | undefined {
  if (!isManagedExternally(service.spec)) return undefined;
  return { actions: [], memory: EMPTY_SERVICE_MEMORY };
}

/** Deletes the clusters of a deleted service, then removes the finalizer. */
function deleteService(state: ServiceState): RayServicePlan | undefined {
  if (state.service.metadata?.deletionTimestamp === undefined) return undefined;
  return { ...planDeletion(state), memory: state.memory };
}

/** Reports the error in the Ready condition and once in an event. Clusters and traffic stay as they are. */
function rejectInvalidSpec(state: ServiceState): RayServicePlan | undefined {
  const invalid = validateService(state);
  if (invalid === undefined) return undefined;
  const { lastStatus, now } = state;
  const { message, action } = invalid;
  const ready = conditionOf(lastStatus.conditions, Type.Ready);
  const isReported = ready?.reason === Reason.ValidationFailed && ready.message === message;
  const setting = { now, generation: lastStatus.observedGeneration };
  const verdict = no(Reason.ValidationFailed, message);
  const conditions = withCondition(lastStatus.conditions ?? [], Type.Ready, verdict, setting);
  return planOf(state, {
    actions: [...planFinalizer(state, false), ...(isReported ? [] : [action])],
    status: { ...lastStatus, conditions },
  });
}

/** `spec.suspend`: records the request, deletes all clusters and Services, and reports when they no longer exist. */
function suspendService(state: ServiceState): RayServicePlan | undefined {
  const suspension = planSuspension(state);
  if (suspension === undefined) return undefined;
  const { actions, status } = suspension;
  const isChanging = status !== state.lastStatus || actions.length > 0;
  return planOf(state, {
    actions: [...planFinalizer(state, true), ...actions],
    status,
    deletesOrphans: false,
    ...(isChanging ? { requeueAfterMs: SUSPENDING_REQUEUE_MS } : {}),
  });
}

/** Watches show most deletions; this covers objects that the operator does not watch. */
const SUSPENDING_REQUEUE_MS = 2_000;

/** A service that was suspended and is not any more starts like a new one. */
function resumeService(state: ServiceState): ServiceState {
  return serviceStateOf(state, state.memory, resumedStatus(state));
}

/** A service whose status was lost continues with the clusters that run for it. */
function adoptRunningClusters(state: ServiceState): ServiceState {
  return serviceStateOf(state, state.memory, adoptedStatus(state) ?? state.lastStatus);
}

/** The service did not become ready within its initializing timeout. It is not retried, and its clusters are deleted as orphans. */
function stayTimedOut(state: ServiceState): RayServicePlan | undefined {
  return isInitializingTimedOut(state) ? planOf(state, { actions: planFinalizer(state, true) }) : undefined;
}

/** An incremental strategy needs the Gateway API. Without it no first cluster is created; running clusters are not affected. */
function waitForGatewayApi(state: ServiceState): RayServicePlan | undefined {
  const { strategy, gatewayApi, active, pending, lastStatus, service, now, memory } = state;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'missing') return undefined;
  if (active.name !== '' || pending.name !== '') return undefined;
  const message = `upgradeStrategy NewClusterWithIncrementalUpgrade needs the Gateway API: ${gatewayApi.why}. Install its CRDs (gateways and httproutes of gateway.networking.k8s.io), or use the strategy NewCluster.`;
  const { generation } = service.metadata ?? {};
  const verdict = no(Reason.GatewayApiNotFound, message);
  const conditions = withCondition(lastStatus.conditions ?? [], Type.Ready, verdict, { now, generation });
  const event = warning(Event.GatewayApiNotFound, 'Reconcile', message);
  const isReported = memory.emittedWarnings.includes(message);
  return planOf(state, {
    actions: [...planFinalizer(state, true), ...(isReported ? [] : [{ type: 'event', event } as const])],
    status: { ...lastStatus, conditions, ...(generation === undefined ? {} : { observedGeneration: generation }) },
    requeueAfterMs: 60_000,
    memory: { ...memory, emittedWarnings: [message] },
  });
}

/** Everything about a service that runs: its clusters, what they serve, and which of them gets the traffic. */
function serveAndUpgrade(observed: ServiceState): RayServicePlan {
  // Does an incremental upgrade go forward or roll back, and which capacity should each cluster have?
  const direction = rolloutDirection(observed);
  const directed = { ...observed, isRollingBack: direction === 'rollback' };
  const capacityGoal = capacityGoalOf(directed, direction);

  // Which Serve configuration does each cluster get?
  const submissions = planSubmissions(directed, capacityGoal);
  const { activeSubmission, pendingSubmission } = submissions;
  const state = withResults(directed, submissions);

  // Is the pending cluster promoted, kept or discarded, and is another cluster needed?
  const upgrade = decideUpgrade(state);
  const next = nextStatus(state, { direction, capacityGoal, upgrade, ...submissions });
  const deadline = planProgressDeadline(state);

  const { actions: traffic, emittedWarnings } = withoutRepeatedWarnings(state, [
    ...warnAboutStuckUpgrade(state),
    ...warnAboutNodeCapacity(state, upgrade),
    ...routeTraffic(state, upgrade),
  ]);
  const configWarnings = [activeSubmission?.warning, pendingSubmission?.warning].filter((each) => each !== undefined);
  return planOf(observed, {
    actions: [
      ...(activeSubmission?.settled ?? []),
      ...(pendingSubmission?.settled ?? []),
      ...planFinalizer(state, true),
      ...planClusters(state, upgrade),
      ...planServeLabel(state, state.active),
      ...planServeLabel(state, state.pending),
      ...(pendingSubmission?.actions ?? []),
      ...(activeSubmission?.actions ?? []),
      ...traffic,
      ...next.actions,
      ...deadline.actions,
    ],
    status: next.status,
    requeueAfterMs: Math.min(next.requeueAfterMs, deadline.requeueAfterMs ?? next.requeueAfterMs),
    memory: {
      ...state.memory,
      firstPlannedAt: state.memory.firstPlannedAt ?? state.now,
      heads: rememberHeads(state, submissions),
      ranApplications: rememberRunning(state),
      emittedWarnings: [...configWarnings, ...emittedWarnings],
    },
  });
}

/** A warning is emitted when it starts to hold, and not again until it has been absent from a plan. */
function withoutRepeatedWarnings(
  { memory }: ServiceState,
  actions: readonly Action[],
): { readonly actions: readonly Action[]; readonly emittedWarnings: readonly string[] } {
  const isRepeated = (action: Action) => action.type === 'event' && memory.emittedWarnings.includes(action.event.note);
  return {
    actions: actions.filter((action) => !isRepeated(action)),
    emittedWarnings: actions.flatMap((action) => (action.type === 'event' ? [action.event.note] : [])),
  };
}

/** What a policy decides. */
interface PolicyPlan extends Plan {
  readonly status?: RayServiceStatuses;
  readonly memory?: ServiceMemory;
  /** Absent: true. A suspension deletes all clusters itself. */
  readonly deletesOrphans?: boolean;
}

/** Adds what every policy has in common: orphaned clusters are deleted after their delay, and only a changed status is written. */
function planOf(state: ServiceState, plan: PolicyPlan): RayServicePlan {
  const { service, now } = state;
  const orphans = planOrphanedClusters(state);
  const { status, requeueAfterMs, memory = state.memory, deletesOrphans = true } = plan;
  const requeues = [requeueAfterMs, orphans.requeueAfterMs].filter((ms) => ms !== undefined);
  const next = status === undefined ? undefined : { ...EMPTY_ROLES, ...withoutEmpties(status) };
  const isWritten = next !== undefined && isWorthWriting(service.status ?? {}, next);
  const written = isWritten ? { ...next, lastUpdateTime: timestamp(now) } : undefined;
  return {
    actions: [...(deletesOrphans ? orphans.actions : []), ...plan.actions],
    memory: { ...memory, orphanedSince: orphans.orphanedSince },
    ...(requeues.length === 0 ? {} : { requeueAfterMs: Math.min(...requeues) }),
    ...(written === undefined
      ? {}
      : { status: written, statusAfter: (outcome) => (reportsStatus(outcome) ? written : undefined) }),
  };
}

/** The status is written after a plan that succeeded, and while a former object of the same name is still being deleted. */
function reportsStatus(outcome: PlanOutcome): boolean {
  return outcome.kind === 'done' || (outcome.kind === 'waiting' && outcome.requeueAfterMs === undefined);
}

const EMPTY_ROLES = { activeServiceStatus: EMPTY_SERVICE_STATUS, pendingServiceStatus: EMPTY_SERVICE_STATUS };
