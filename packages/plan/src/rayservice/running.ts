import { RayServiceEventReason as Event, type RayServiceStatuses } from '@manta/api';
import { type Action, type Plan, warning } from '../plan.ts';
import { leadAdoptedRoute } from './traffic/adopted-route.ts';
import { planClusters } from './upgrade/clusters.ts';
import { no, Reason, Type, withCondition } from './status/set-condition.ts';
import { planDeadline } from './upgrade/progress-deadline.ts';
import { nextStatus } from './status/next-status.ts';
import type { HeadMemory, ServiceMemory } from './observed.ts';
import { directionOf } from './upgrade/rollback.ts';
import { shortOfRoom } from './upgrade/node-capacity.ts';
import { dropRouting, planRouting, routingTrouble } from './traffic/gateway.ts';
import { planSubmission, type SubmissionPlan } from './serve/submission.ts';
import { planServeLabel } from './traffic/serve-label.ts';
import { planClusterServices, planServices } from './traffic/kube-services.ts';
import { type CapacityWish, wishedCapacity } from './traffic/migration.ts';
import { fullName, isShifting, type Side, type Subject } from './service-state.ts';
import { needsNextCluster, type Succession, successionOf } from './upgrade/promotion.ts';
import { podTroubleOf } from './status/failure-reason.ts';

export interface RunningPlan extends Plan {
  readonly status: RayServiceStatuses;
  readonly memory: ServiceMemory;
  readonly settled: readonly string[];
}

/** A service that is to run: its clusters, what they serve, and who gets the traffic. */
export function planRunning(observed: Subject): RunningPlan {
  const stopped = withoutGatewayApi(observed);
  if (stopped !== undefined) return stopped;
  const direction = directionOf(observed);
  const asked = { ...observed, isRollingBack: direction === 'back' };
  const { strategy, active, pending } = asked;
  const wish = strategy.kind === 'incremental' ? wishedCapacity(asked, strategy.pace, direction) : fullCapacity(asked);
  const toPending = submit(asked, pending, wish.pending);
  const isActiveAsked = pending.name === '' ? !needsNextCluster(asked) : strategy.kind === 'incremental';
  const toActive = isActiveAsked || pending.name !== '' ? submit(asked, active, wish.active) : undefined;
  const subject = withNoted(asked, toActive, toPending);
  const succession = successionOf(subject);
  const next = nextStatus(subject, { direction, wish, isActiveAsked, toActive, toPending, succession });
  const traffic = planTraffic(subject, succession);
  const deadline = planDeadline(subject);
  const notices = [...announce(subject), ...warnOfRoom(subject, succession), ...traffic];
  const told = notices.flatMap((action) => (action.type === 'event' ? [action.event.note] : []));
  const isNews = (action: Action) => action.type !== 'event' || !subject.memory.told.includes(action.event.note);
  return {
    actions: [
      ...planClusters(subject, succession),
      ...planServeLabel(subject, active),
      ...planServeLabel(subject, pending),
      ...(toPending?.actions ?? []),
      ...(toActive?.actions ?? []),
      ...notices.filter(isNews),
      ...next.actions,
      ...deadline.actions,
    ],
    status: next.status,
    requeueAfterMs: Math.min(next.requeueAfterMs, deadline.requeueAfterMs ?? next.requeueAfterMs),
    memory: remember(subject, toActive, toPending, told),
    settled: [...(toActive?.settled ?? []), ...(toPending?.settled ?? [])],
  };
}

/** Without steps everybody serves in full, also one that steps have left at less. */
function fullCapacity({ active, pending }: Subject): CapacityWish {
  const full = ({ status }: Side) => (status.targetCapacity === undefined ? undefined : 100);
  return { active: full(active), pending: full(pending), assumed: undefined };
}

function submit(subject: Subject, side: Side, capacity: number | undefined): SubmissionPlan | undefined {
  return side.view === undefined ? undefined : planSubmission(subject, side, side.view, capacity);
}

/**
 * The subject with the ends of submissions noted. One reconcile may see both the end of a PUT and the answer to the question that followed:
 * no other news comes, so this reconcile has to decide.
 */
function withNoted(
  subject: Subject,
  toActive: SubmissionPlan | undefined,
  toPending: SubmissionPlan | undefined,
): Subject {
  const { active, pending, memory } = subject;
  const heads = { ...memory.heads };
  if (toActive !== undefined) heads[active.name] = toActive.noted;
  if (toPending !== undefined) heads[pending.name] = toPending.noted;
  return { ...subject, memory: { ...memory, heads } };
}

function planTraffic(subject: Subject, { target }: Succession): readonly Action[] {
  const { strategy, active, pending } = subject;
  const services = target === undefined ? [] : planServices(subject, target);
  if (strategy.kind === 'incremental') {
    const perCluster = planClusterServices(subject, [active.view, pending.view]);
    return [...perCluster, ...planRouting(subject, strategy.pace), ...services];
  }
  // What an incremental upgrade has left goes when the Services lead where they should.
  if (target === undefined) return [];
  const left = services.every(({ type }) => type === 'event')
    ? [...leadAdoptedRoute(subject, target), ...dropRouting(subject)]
    : [];
  return [...services, ...left];
}

/** What a user should know about an upgrade that does not get on, or would not. */
function announce(subject: Subject): readonly Action[] {
  const { active, pending } = subject;
  const event = (reason: string, note: string): Action => ({
    type: 'event',
    event: warning(reason, 'Reconcile', note),
  });
  if (active.view === undefined) {
    const note = 'Active cluster not found, rollback cannot be initiated';
    return isShifting(subject) ? [event(Event.RollbackImpossible, note)] : [];
  }
  const routing = routingTrouble(subject);
  const hopeless = routing?.hopeMs === 0 ? routing.why : undefined;
  const trouble = subject.isUpgrading ? (podTroubleOf(pending.view) ?? hopeless) : hopeless;
  if (trouble === undefined) return [];
  const upgrade = subject.isUpgrading
    ? `The upgrade to RayCluster ${fullName(subject, pending.name)} waits`
    : 'An upgrade would wait';
  const note = `${upgrade}: ${trouble}; RayCluster ${fullName(subject, active.name)} goes on serving`;
  return [event(Event.UpgradeHeldUp, note)];
}

/** Before a cluster is made that cannot find a place, somebody is told, who may stop it or make room. */
function warnOfRoom(subject: Subject, { needsNext }: Succession): readonly Action[] {
  if (!needsNext || subject.active.view === undefined) return [];
  const short = shortOfRoom(subject);
  if (short === undefined) return [];
  const note = `The upgrade will find no room: ${short}; RayCluster ${fullName(subject, subject.active.name)} goes on serving`;
  return [{ type: 'event', event: warning(Event.UpgradeLacksRoom, 'Reconcile', note) }];
}

function remember(
  subject: Subject,
  toActive: SubmissionPlan | undefined,
  toPending: SubmissionPlan | undefined,
  told: readonly string[],
): ServiceMemory {
  const { active, pending, memory } = subject;
  // Only of clusters that are in use: names never come back.
  const kept = ({ name }: Side, plan: SubmissionPlan | undefined): readonly (readonly [string, HeadMemory])[] => {
    const head = plan?.head ?? memory.heads[name];
    return head === undefined ? [] : [[name, head]];
  };
  const complaints = [toActive?.told, toPending?.told].filter((each) => each !== undefined);
  return {
    ...memory,
    since: memory.since ?? subject.now,
    heads: Object.fromEntries([...kept(active, toActive), ...kept(pending, toPending)]),
    told: [...complaints, ...told],
  };
}

/** Traffic in steps needs Gateways; without them nothing new is begun. */
function withoutGatewayApi(subject: Subject): RunningPlan | undefined {
  const { strategy, gatewayApi, active, pending, before, service, now, memory } = subject;
  if (strategy.kind !== 'incremental' || gatewayApi.kind !== 'absent') return undefined;
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
