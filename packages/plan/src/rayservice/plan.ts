import { isManagedExternally, type RayServiceSpec, type RayServiceStatuses } from '@manta/api';
import type { Plan } from '../plan.ts';
import { timestamp } from '../raycluster/conditions.ts';
import { lostStatus } from './upgrade/adopt-clusters.ts';
import { checkRayService } from './validation.ts';
import { conditionOf, no, Reason, Type, withCondition } from './status/set-condition.ts';
import { type DanglingPlan, planDangling } from './upgrade/orphaned-clusters.ts';
import { planDeletion, planFinalizer } from './finalizer.ts';
import { EMPTY_MEMORY, type ObservedRayService, type ServiceMemory } from './observed.ts';
import { planRunning } from './running.ts';
import { EMPTY_SIDE, isWorthWriting, withoutEmpties } from './status/status-changes.ts';
import { type Subject, subjectOf } from './service-state.ts';
import { planSuspension } from './suspend.ts';

/** A plan for a RayService, its status once the plan has been carried out, and what to remember until the next one. */
export interface RayServicePlan extends Plan {
  /** Absent: the status stays as it is. Written only when every action has been carried out. */
  readonly status?: RayServiceStatuses;
  readonly memory: ServiceMemory;
  /** Ids of submissions to Ray whose end was taken note of. */
  readonly settled: readonly string[];
}

/** A suspension waits for deletions, which we see; this is for what we do not. */
const SUSPENDING_LOOK_MS = 2_000;

/** What happens to a RayService, from top to bottom. */
export function planRayService(observed: ObservedRayService): RayServicePlan {
  const { service, memory } = observed;
  if (isManagedExternally(service.spec)) return { actions: [], memory: EMPTY_MEMORY, settled: [] };
  const subject = subjectOf(observed, service, service.spec ?? NO_SPEC);
  if (service.metadata?.deletionTimestamp !== undefined) {
    return { ...planDeletion(subject), memory, settled: [] };
  }
  const invalid = checkRayService(subject);
  if (invalid !== undefined) return refused(subject, invalid, planDangling(subject));
  const finalizer = planFinalizer(subject, true);
  const suspension = planSuspension(subject);
  if (suspension.kind === 'held') {
    const isMoving = suspension.status !== subject.before || suspension.actions.length > 0;
    return finish(subject, planDangling(subject), {
      actions: [...finalizer, ...suspension.actions],
      status: suspension.status,
      ...(isMoving ? { requeueAfterMs: SUSPENDING_LOOK_MS } : {}),
    });
  }
  const resumed = withStatus(subject, suspension.status);
  const running = withStatus(resumed, lostStatus(resumed));
  const dangling = planDangling(running);
  const first = [...dangling.actions, ...finalizer];
  if (conditionOf(running.before.conditions, Type.Ready)?.reason === Reason.InitializingTimeout) {
    return finish(subject, dangling, { actions: first });
  }
  const plan = planRunning(running);
  return finish(subject, dangling, { ...plan, actions: [...first, ...plan.actions] });
}

/** A service may be written without a spec; it is told so like any other invalid one. */
const NO_SPEC: RayServiceSpec = { rayClusterConfig: { headGroupSpec: { template: {} } } };

function withStatus(subject: Subject, status: RayServiceStatuses | undefined): Subject {
  return status === undefined || status === subject.before
    ? subject
    : subjectOf(subject, { ...subject.service, status }, subject.spec);
}

/** What runs goes on; only the condition says that the spec is not the one that runs. */
function refused(
  subject: Subject,
  { message, action }: NonNullable<ReturnType<typeof checkRayService>>,
  dangling: DanglingPlan,
): RayServicePlan {
  const { before, now } = subject;
  const old = conditionOf(before.conditions, Type.Ready);
  const isTold = old?.reason === Reason.ValidationFailed && old.message === message;
  const setting = { now, generation: before.observedGeneration };
  const conditions = withCondition(before.conditions ?? [], Type.Ready, no(Reason.ValidationFailed, message), setting);
  const actions = [...dangling.actions, ...planFinalizer(subject, false), ...(isTold ? [] : [action])];
  return finish(subject, dangling, { actions, status: { ...before, conditions } });
}

interface Unfinished extends Plan {
  readonly status?: RayServiceStatuses;
  readonly memory?: ServiceMemory;
  readonly settled?: readonly string[];
}

function finish(subject: Subject, dangling: DanglingPlan, plan: Unfinished): RayServicePlan {
  const { service, now, memory } = subject;
  const before = service.status ?? {};
  const { status, requeueAfterMs } = plan;
  const next =
    status === undefined
      ? undefined
      : { activeServiceStatus: EMPTY_SIDE, pendingServiceStatus: EMPTY_SIDE, ...withoutEmpties(status) };
  const waits = [requeueAfterMs, dangling.requeueAfterMs].filter((ms) => ms !== undefined);
  return {
    actions: plan.actions,
    memory: { ...(plan.memory ?? memory), danglingSince: dangling.danglingSince },
    settled: plan.settled ?? [],
    ...(waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) }),
    ...(next !== undefined && isWorthWriting(before, next)
      ? { status: { ...next, lastUpdateTime: timestamp(now) } }
      : {}),
  };
}
