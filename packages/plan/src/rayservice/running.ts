import { RayServiceEventReason as Event, type RayServiceStatuses } from '@manta/api';
import { type Action, type Plan, warning } from '../plan.ts';
import { resetAdoptedRoute } from './traffic/adopted-route.ts';
import { planClusters } from './upgrade/clusters.ts';
import { no, Reason, Type, withCondition } from './status/set-condition.ts';
import { planDeadline } from './upgrade/progress-deadline.ts';
import { nextStatus } from './status/next-status.ts';
import type { HeadMemory, ServiceMemory } from './observed.ts';
import { rolloutDirection } from './upgrade/rollback.ts';
import { nodeCapacityShortfall } from './upgrade/node-capacity.ts';
import { deleteGatewayRouting, planGatewayRouting, gatewayProblem } from './traffic/gateway.ts';
import { planSubmission, type SubmissionPlan } from './serve/submission.ts';
import { planServeLabel } from './traffic/serve-label.ts';
import { planPerClusterServices, planOwnServices } from './traffic/kube-services.ts';
import { type WantedCapacity, wantedCapacity } from './traffic/migration.ts';
import { fullName, isMigratingTraffic, type AssignedCluster, type ServiceState } from './service-state.ts';
import { needsNewClusterFor, type UpgradeDecision, decideUpgrade } from './upgrade/promotion.ts';
import { podFailureOf } from './status/failure-reason.ts';

export interface UpgradePlan extends Plan {
  readonly status: RayServiceStatuses;
  readonly memory: ServiceMemory;
  readonly settled: readonly string[];
}

/** A service that is to run: its clusters, what they serve, and who gets the traffic. */
export function planUpgradeAndTraffic(observed: ServiceState): UpgradePlan {
  const stopped = withoutGatewayApi(observed);
  if (stopped !== undefined) return stopped;
  const direction = rolloutDirection(observed);
  const asked = { ...observed, isRollingBack: direction === 'back' };
  const { strategy, active, pending } = asked;
  const capacityGoal =
    strategy.kind === 'incremental' ? wantedCapacity(asked, strategy.options, direction) : fullCapacity(asked);
  const pendingSubmission = submit(asked, pending, capacityGoal.pending);
  const isActiveAsked = pending.name === '' ? !needsNewClusterFor(asked) : strategy.kind === 'incremental';
  const activeSubmission =
    isActiveAsked || pending.name !== '' ? submit(asked, active, capacityGoal.active) : undefined;
  const state = withNoted(asked, activeSubmission, pendingSubmission);
  const decision = decideUpgrade(state);
  const next = nextStatus(state, {
    direction,
    capacityGoal,
    isActiveAsked,
    activeSubmission,
    pendingSubmission,
    decision,
  });
  const traffic = planTraffic(state, decision);
  const deadline = planDeadline(state);
  const notices = [...announce(state), ...warnOfRoom(state, decision), ...traffic];
  const told = notices.flatMap((action) => (action.type === 'event' ? [action.event.note] : []));
  const isNews = (action: Action) => action.type !== 'event' || !state.memory.told.includes(action.event.note);
  return {
    actions: [
      ...planClusters(state, decision),
      ...planServeLabel(state, active),
      ...planServeLabel(state, pending),
      ...(pendingSubmission?.actions ?? []),
      ...(activeSubmission?.actions ?? []),
      ...notices.filter(isNews),
      ...next.actions,
      ...deadline.actions,
    ],
    status: next.status,
    requeueAfterMs: Math.min(next.requeueAfterMs, deadline.requeueAfterMs ?? next.requeueAfterMs),
    memory: remember(state, activeSubmission, pendingSubmission, told),
    settled: [...(activeSubmission?.settled ?? []), ...(pendingSubmission?.settled ?? [])],
  };
}

/** Without steps everybody serves in full, also one that steps have left at less. */
function fullCapacity({ active, pending }: ServiceState): WantedCapacity {
  const full = ({ status }: AssignedCluster) => (status.targetCapacity === undefined ? undefined : 100);
  return { active: full(active), pending: full(pending), assumed: undefined };
}

function submit(state: ServiceState, side: AssignedCluster, capacity: number | undefined): SubmissionPlan | undefined {
  return side.view === undefined ? undefined : planSubmission(state, side, side.view, capacity);
}

/**
 * The subject with the ends of submissions noted. One reconcile may see both the end of a PUT and the answer to the question that followed:
 * no other news comes, so this reconcile has to decide.
 */
function withNoted(
  state: ServiceState,
  activeSubmission: SubmissionPlan | undefined,
  pendingSubmission: SubmissionPlan | undefined,
): ServiceState {
  const { active, pending, memory } = state;
  const heads = { ...memory.heads };
  if (activeSubmission !== undefined) heads[active.name] = activeSubmission.noted;
  if (pendingSubmission !== undefined) heads[pending.name] = pendingSubmission.noted;
  return { ...state, memory: { ...memory, heads } };
}

function planTraffic(state: ServiceState, { target }: UpgradeDecision): readonly Action[] {
  const { strategy, active, pending } = state;
  const services = target === undefined ? [] : planOwnServices(state, target);
  if (strategy.kind === 'incremental') {
    const perCluster = planPerClusterServices(state, [active.view, pending.view]);
    return [...perCluster, ...planGatewayRouting(state, strategy.options), ...services];
  }
  // What an incremental upgrade has left goes when the Services lead where they should.
  if (target === undefined) return [];
  const left = services.every(({ type }) => type === 'event')
    ? [...resetAdoptedRoute(state, target), ...deleteGatewayRouting(state)]
    : [];
  return [...services, ...left];
}

/** What a user should know about an upgrade that does not get on, or would not. */
function announce(state: ServiceState): readonly Action[] {
  const { active, pending } = state;
  const event = (reason: string, note: string): Action => ({
    type: 'event',
    event: warning(reason, 'Reconcile', note),
  });
  if (active.view === undefined) {
    const note = 'Active cluster not found, rollback cannot be initiated';
    return isMigratingTraffic(state) ? [event(Event.RollbackImpossible, note)] : [];
  }
  const routing = gatewayProblem(state);
  const hopeless = routing?.graceMs === 0 ? routing.why : undefined;
  const trouble = state.isUpgrading ? (podFailureOf(pending.view) ?? hopeless) : hopeless;
  if (trouble === undefined) return [];
  const upgrade = state.isUpgrading
    ? `The upgrade to RayCluster ${fullName(state, pending.name)} waits`
    : 'An upgrade would wait';
  const note = `${upgrade}: ${trouble}; RayCluster ${fullName(state, active.name)} goes on serving`;
  return [event(Event.UpgradeHeldUp, note)];
}

/** Before a cluster is made that cannot find a place, somebody is told, who may stop it or make room. */
function warnOfRoom(state: ServiceState, { needsNewCluster }: UpgradeDecision): readonly Action[] {
  if (!needsNewCluster || state.active.view === undefined) return [];
  const short = nodeCapacityShortfall(state);
  if (short === undefined) return [];
  const note = `The upgrade will find no room: ${short}; RayCluster ${fullName(state, state.active.name)} goes on serving`;
  return [{ type: 'event', event: warning(Event.UpgradeLacksRoom, 'Reconcile', note) }];
}

function remember(
  state: ServiceState,
  activeSubmission: SubmissionPlan | undefined,
  pendingSubmission: SubmissionPlan | undefined,
  told: readonly string[],
): ServiceMemory {
  const { active, pending, memory } = state;
  // Only of clusters that are in use: names never come back.
  const kept = (
    { name }: AssignedCluster,
    plan: SubmissionPlan | undefined,
  ): readonly (readonly [string, HeadMemory])[] => {
    const head = plan?.head ?? memory.heads[name];
    return head === undefined ? [] : [[name, head]];
  };
  const complaints = [activeSubmission?.told, pendingSubmission?.told].filter((each) => each !== undefined);
  return {
    ...memory,
    since: memory.since ?? state.now,
    heads: Object.fromEntries([...kept(active, activeSubmission), ...kept(pending, pendingSubmission)]),
    told: [...complaints, ...told],
  };
}

/** Traffic in steps needs Gateways; without them nothing new is begun. */
function withoutGatewayApi(state: ServiceState): UpgradePlan | undefined {
  const { strategy, gatewayApi, active, pending, before, service, now, memory } = state;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'missing') return undefined;
  if (active.name !== '' || pending.name !== '') return undefined;
  const message = `upgradeStrategy NewClusterWithIncrementalUpgrade needs the Gateway API: ${gatewayApi.why}. Install its CRDs (gateways and httproutes of gateway.networking.k8s.io), or use the strategy NewCluster.`;
  const { generation } = service.metadata ?? {};
  const verdict = no(Reason.GatewayApiNotFound, message);
  const conditions = withCondition(before.conditions ?? [], Type.Ready, verdict, { now, generation });
  const event = warning(Event.GatewayApiNotFound, 'Reconcile', message);
  return {
    actions: memory.told.includes(message) ? [] : [{ type: 'event', event }],
    status: { ...before, conditions, ...(generation === undefined ? {} : { observedGeneration: generation }) },
    requeueAfterMs: 60_000,
    memory: { ...memory, told: [message] },
    settled: [],
  };
}
