import { isManagedExternally, type RayServiceSpec, type RayServiceStatuses } from '@manta/api';
import type { Plan } from '../plan.ts';
import { timestamp } from '../shared/timestamp.ts';
import { adoptRunningClusters } from './upgrade/adopt-clusters.ts';
import { checkRayService } from './validation.ts';
import { conditionOf, no, Reason, Type, withCondition } from './status/set-condition.ts';
import { type OrphanPlan, planOrphanedClusters } from './upgrade/orphaned-clusters.ts';
import { planDeletion, planFinalizer } from './finalizer.ts';
import { EMPTY_SERVICE_MEMORY, type ObservedRayService, type ServiceMemory } from './observed.ts';
import { planUpgradeAndTraffic } from './running.ts';
import { EMPTY_SERVICE_STATUS, isWorthWriting, withoutEmpties } from './status/status-changes.ts';
import { type ServiceState, serviceStateOf } from './service-state.ts';
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
  if (isManagedExternally(service.spec)) return { actions: [], memory: EMPTY_SERVICE_MEMORY, settled: [] };
  const state = serviceStateOf(observed, service, service.spec ?? NO_SPEC);
  if (service.metadata?.deletionTimestamp !== undefined) {
    return { ...planDeletion(state), memory, settled: [] };
  }
  const invalid = checkRayService(state);
  if (invalid !== undefined) return refused(state, invalid, planOrphanedClusters(state));
  const finalizer = planFinalizer(state, true);
  const suspension = planSuspension(state);
  if (suspension.kind === 'held') {
    const isMoving = suspension.status !== state.before || suspension.actions.length > 0;
    return finish(state, planOrphanedClusters(state), {
      actions: [...finalizer, ...suspension.actions],
      status: suspension.status,
      ...(isMoving ? { requeueAfterMs: SUSPENDING_LOOK_MS } : {}),
    });
  }
  const resumed = withStatus(state, suspension.status);
  const running = withStatus(resumed, adoptRunningClusters(resumed));
  const dangling = planOrphanedClusters(running);
  const first = [...dangling.actions, ...finalizer];
  if (conditionOf(running.before.conditions, Type.Ready)?.reason === Reason.InitializingTimeout) {
    return finish(state, dangling, { actions: first });
  }
  const plan = planUpgradeAndTraffic(running);
  return finish(state, dangling, { ...plan, actions: [...first, ...plan.actions] });
}

/** A service may be written without a spec; it is told so like any other invalid one. */
const NO_SPEC: RayServiceSpec = { rayClusterConfig: { headGroupSpec: { template: {} } } };

function withStatus(state: ServiceState, status: RayServiceStatuses | undefined): ServiceState {
  return status === undefined || status === state.before
    ? state
    : serviceStateOf(state, { ...state.service, status }, state.spec);
}

/** What runs goes on; only the condition says that the spec is not the one that runs. */
function refused(
  state: ServiceState,
  { message, action }: NonNullable<ReturnType<typeof checkRayService>>,
  dangling: OrphanPlan,
): RayServicePlan {
  const { before, now } = state;
  const old = conditionOf(before.conditions, Type.Ready);
  const isReported = old?.reason === Reason.ValidationFailed && old.message === message;
  const setting = { now, generation: before.observedGeneration };
  const conditions = withCondition(before.conditions ?? [], Type.Ready, no(Reason.ValidationFailed, message), setting);
  const actions = [...dangling.actions, ...planFinalizer(state, false), ...(isReported ? [] : [action])];
  return finish(state, dangling, { actions, status: { ...before, conditions } });
}

interface Unfinished extends Plan {
  readonly status?: RayServiceStatuses;
  readonly memory?: ServiceMemory;
  readonly settled?: readonly string[];
}

function finish(state: ServiceState, dangling: OrphanPlan, plan: Unfinished): RayServicePlan {
  const { service, now, memory } = state;
  const before = service.status ?? {};
  const { status, requeueAfterMs } = plan;
  const next =
    status === undefined
      ? undefined
      : {
          activeServiceStatus: EMPTY_SERVICE_STATUS,
          pendingServiceStatus: EMPTY_SERVICE_STATUS,
          ...withoutEmpties(status),
        };
  const waits = [requeueAfterMs, dangling.requeueAfterMs].filter((ms) => ms !== undefined);
  return {
    actions: plan.actions,
    memory: { ...(plan.memory ?? memory), orphanedSince: dangling.orphanedSince },
    settled: plan.settled ?? [],
    ...(waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) }),
    ...(next !== undefined && isWorthWriting(before, next)
      ? { status: { ...next, lastUpdateTime: timestamp(now) } }
      : {}),
  };
}
