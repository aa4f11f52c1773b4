import {
  type Condition,
  RayServiceEventReason as Event,
  isConditionTrue,
  type KubeObject,
  type RayServiceStatuses,
} from '@manta/api';
import { deleteOwn, isOwn } from '../ownership.ts';
import { type Action, normal, type WrittenKind, warning } from '../plan.ts';
import { no, Reason, type Setting, Type, withCondition, withoutCondition, yes } from './status/set-condition.ts';
import { deleteCluster } from './upgrade/orphaned-clusters.ts';
import { EMPTY_SERVICE_STATUS } from './status/status-changes.ts';
import { fullName, type ServiceState } from './service-state.ts';

/** Where a service stands between running and suspended, and what is to be done about it. */
export type Suspension =
  /** Nothing to do with suspension: go on, from this status. */
  | { readonly kind: 'running'; readonly status: RayServiceStatuses }
  /** Nothing else happens in this pass. */
  | { readonly kind: 'held'; readonly actions: readonly Action[]; readonly status: RayServiceStatuses };

/** One step of running → suspending → suspended → running. A suspension that has begun is carried to its end, whatever the spec says. */
export function planSuspension(state: ServiceState): Suspension {
  const { spec, before } = state;
  if (isConditionTrue(before.conditions, Type.Suspending)) return suspending(state);
  if (isConditionTrue(before.conditions, Type.Suspended)) {
    return spec.suspend === true
      ? { kind: 'held', actions: [], status: before }
      : { kind: 'running', status: resumed(state) };
  }
  if (spec.suspend !== true) return { kind: 'running', status: before };
  return { kind: 'held', actions: [], status: requested(state) };
}

function requested(state: ServiceState): RayServiceStatuses {
  const message = 'Spec.Suspend is true; will delete all Kubernetes resources owned by this RayService.';
  const set = { now: state.now, generation: state.service.metadata?.generation };
  const wanted = yes(Reason.SuspendRequested, message);
  const conditions = withCondition(state.before.conditions ?? [], Type.Suspending, wanted, set);
  return {
    ...state.before,
    ...generationOf(state),
    conditions: settle(conditions, Reason.SuspendInProgress, 'RayService is suspending.', set),
    activeServiceStatus: EMPTY_SERVICE_STATUS,
    pendingServiceStatus: EMPTY_SERVICE_STATUS,
    numServeEndpoints: 0,
    serviceStatus: '',
  };
}

function suspending(state: ServiceState): Suspension {
  const { before } = state;
  const conditions = before.conditions ?? [];
  const set = { now: state.now, generation: before.observedGeneration };
  const hasMore = state.clusters.length > 0 || ownObjects(state).length > 0;
  if (hasMore) {
    const verdict = yes(
      Reason.SuspendInProgress,
      'Waiting for all Kubernetes resources owned by this RayService to be deleted.',
    );
    const actions = [
      ...state.clusters.flatMap((view) => deleteCluster(state, view, ' during suspend')),
      ...ownObjects(state).flatMap(({ kind, object }) => deleteObject(state, kind, object)),
    ];
    const status = { ...before, conditions: withCondition(conditions, Type.Suspending, verdict, set) };
    return { kind: 'held', actions, status };
  }
  const over = 'All owned resources have been deleted.';
  let after = settle(conditions, Reason.SuspendComplete, 'RayService is suspended.', set);
  after = withCondition(after, Type.Suspending, no(Reason.SuspendComplete, over), set);
  after = withCondition(after, Type.Suspended, yes(Reason.SuspendComplete, over), set);
  return { kind: 'held', actions: [], status: { ...before, conditions: after } };
}

/** A service that comes back starts like a new one; the clock of its time limit starts anew too. */
function resumed(state: ServiceState): RayServiceStatuses {
  const verdict = no(Reason.Initializing, 'RayService is initializing after resuming from suspend.');
  const set = { now: state.now, generation: state.service.metadata?.generation };
  const back = no(Reason.RayServiceResumed, 'Spec.Suspend is false; RayService has resumed.');
  let conditions = withCondition(state.before.conditions ?? [], Type.Suspended, back, set);
  for (const type of [Type.Ready, Type.UpgradeInProgress]) {
    conditions = withCondition(withoutCondition(conditions, type), type, verdict, set);
  }
  return { ...state.before, ...generationOf(state), conditions };
}

function settle(conditions: readonly Condition[], reason: string, message: string, set: Setting): readonly Condition[] {
  const ready = withCondition(conditions, Type.Ready, no(reason, message), set);
  const upgrade = withCondition(ready, Type.UpgradeInProgress, no(reason, 'No upgrade in progress.'), set);
  return withCondition(upgrade, Type.RollbackInProgress, no(reason, 'No rollback in progress.'), set);
}

interface OwnObject {
  readonly kind: WrittenKind;
  readonly object: KubeObject;
}

/** What the service itself owns beside its clusters; what those own goes with them. */
export function ownObjects({ services, gatewayApi, uid }: ServiceState): readonly OwnObject[] {
  const routing =
    gatewayApi.kind === 'available'
      ? [
          { kind: 'Gateway', object: gatewayApi.gateway } as const,
          { kind: 'HTTPRoute', object: gatewayApi.route } as const,
        ]
      : [];
  return [...[...services.values()].map((object) => ({ kind: 'Service', object }) as const), ...routing].flatMap(
    ({ kind, object }) => (object !== undefined && isOwn(uid, object) ? [{ kind, object }] : []),
  );
}

const DELETED: Readonly<Partial<Record<WrittenKind, readonly [done: string, failed: string]>>> = {
  Service: [Event.DeletedService, Event.FailedToDeleteService],
  Gateway: [Event.DeletedGateway, Event.FailedToDeleteGateway],
  HTTPRoute: [Event.DeletedHttpRoute, Event.FailedToDeleteHttpRoute],
};

/** Deletes an object that is not going already. */
export function deleteObject(
  state: ServiceState,
  kind: WrittenKind,
  object: KubeObject,
  because = ' during suspend',
): readonly Action[] {
  const { metadata } = object;
  if (metadata?.deletionTimestamp !== undefined) return [];
  const [done = '', failed = ''] = DELETED[kind] ?? [];
  const told = `the ${kind} ${fullName(state, metadata?.name ?? '')}${because}`;
  return deleteOwn(state.uid, kind, object, {
    done: normal(done, 'Delete', `Deleted ${told}`),
    failed: warning(failed, 'Delete', `Failed to delete ${told}:`),
  });
}

function generationOf({ service }: ServiceState): Pick<RayServiceStatuses, 'observedGeneration'> {
  const generation = service.metadata?.generation;
  return generation === undefined ? {} : { observedGeneration: generation };
}
