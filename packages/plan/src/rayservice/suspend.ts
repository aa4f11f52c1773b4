import { type Condition, isConditionTrue, type KubeObject, type RayServiceStatuses } from '@manta/api';
import { isOwn } from '../ownership.ts';
import type { Action } from '../plan.ts';
import { deleteCluster, deleteObject, type OwnKind } from './delete-objects.ts';
import type { ServiceState } from './service-state.ts';
import { EMPTY_SERVICE_STATUS } from './status/empty-status.ts';
import { no, Reason, type Setting, Type, withCondition, withoutCondition, yes } from './status/set-condition.ts';

/** One step of a suspension. */
export interface Suspension {
  readonly actions: readonly Action[];
  readonly status: RayServiceStatuses;
}

/**
 * One step of running → suspending → suspended; undefined when the service runs or resumes. A suspension that has started is completed, even
 * if the user sets `suspend` to false meanwhile.
 */
export function planSuspension(state: ServiceState): Suspension | undefined {
  const { spec, lastStatus } = state;
  if (isConditionTrue(lastStatus.conditions, Type.Suspending)) return suspending(state);
  if (spec.suspend !== true) return undefined;
  if (isConditionTrue(lastStatus.conditions, Type.Suspended)) return { actions: [], status: lastStatus };
  return { actions: [], status: requestedStatus(state) };
}

/** The status of a service that resumes from a suspension: it starts like a new one, and so does its initializing timeout. */
export function resumedStatus(state: ServiceState): RayServiceStatuses {
  const { lastStatus } = state;
  if (!isConditionTrue(lastStatus.conditions, Type.Suspended)) return lastStatus;
  const verdict = no(Reason.Initializing, 'RayService is initializing after resuming from suspend.');
  const setting = { now: state.now, generation: state.service.metadata?.generation };
  const resumed = no(Reason.RayServiceResumed, 'Spec.Suspend is false; RayService has resumed.');
  let conditions = withCondition(lastStatus.conditions ?? [], Type.Suspended, resumed, setting);
  for (const type of [Type.Ready, Type.UpgradeInProgress]) {
    conditions = withCondition(withoutCondition(conditions, type), type, verdict, setting);
  }
  return { ...lastStatus, ...generationOf(state), conditions };
}

/** The status records the request before anything is deleted. */
function requestedStatus(state: ServiceState): RayServiceStatuses {
  const message = 'Spec.Suspend is true; will delete all Kubernetes resources owned by this RayService.';
  const setting = { now: state.now, generation: state.service.metadata?.generation };
  const requested = yes(Reason.SuspendRequested, message);
  const conditions = withCondition(state.lastStatus.conditions ?? [], Type.Suspending, requested, setting);
  return {
    ...state.lastStatus,
    ...generationOf(state),
    conditions: withNothingRunning(conditions, Reason.SuspendInProgress, 'RayService is suspending.', setting),
    activeServiceStatus: EMPTY_SERVICE_STATUS,
    pendingServiceStatus: EMPTY_SERVICE_STATUS,
    numServeEndpoints: 0,
    serviceStatus: '',
  };
}

function suspending(state: ServiceState): Suspension {
  const { lastStatus, clusters } = state;
  const conditions = lastStatus.conditions ?? [];
  const setting = { now: state.now, generation: lastStatus.observedGeneration };
  const objects = ownObjects(state);
  if (clusters.length > 0 || objects.length > 0) {
    const message = 'Waiting for all Kubernetes resources owned by this RayService to be deleted.';
    const verdict = yes(Reason.SuspendInProgress, message);
    const because = ' during suspend';
    return {
      actions: [
        ...clusters.flatMap((view) => deleteCluster(state, view, because)),
        ...objects.flatMap(({ kind, object }) => deleteObject(state, kind, object, because)),
      ],
      status: { ...lastStatus, conditions: withCondition(conditions, Type.Suspending, verdict, setting) },
    };
  }
  const message = 'All owned resources have been deleted.';
  let after = withNothingRunning(conditions, Reason.SuspendComplete, 'RayService is suspended.', setting);
  after = withCondition(after, Type.Suspending, no(Reason.SuspendComplete, message), setting);
  after = withCondition(after, Type.Suspended, yes(Reason.SuspendComplete, message), setting);
  return { actions: [], status: { ...lastStatus, conditions: after } };
}

function withNothingRunning(
  conditions: readonly Condition[],
  reason: string,
  message: string,
  setting: Setting,
): readonly Condition[] {
  const ready = withCondition(conditions, Type.Ready, no(reason, message), setting);
  const upgrade = withCondition(ready, Type.UpgradeInProgress, no(reason, 'No upgrade in progress.'), setting);
  return withCondition(upgrade, Type.RollbackInProgress, no(reason, 'No rollback in progress.'), setting);
}

/** Objects that the RayService owns beside its clusters. The clusters' own objects are deleted with them. */
function ownObjects({ kubeServices, gatewayApi, uid }: ServiceState): readonly {
  readonly kind: OwnKind;
  readonly object: KubeObject;
}[] {
  const { gateway, route } = gatewayApi.kind === 'available' ? gatewayApi : {};
  const all: readonly { readonly kind: OwnKind; readonly object: KubeObject | undefined }[] = [
    ...[...kubeServices.values()].map((object) => ({ kind: 'Service', object }) as const),
    { kind: 'Gateway', object: gateway },
    { kind: 'HTTPRoute', object: route },
  ];
  return all.flatMap(({ kind, object }) => (object !== undefined && isOwn(uid, object) ? [{ kind, object }] : []));
}

function generationOf({ service }: ServiceState): Pick<RayServiceStatuses, 'observedGeneration'> {
  const generation = service.metadata?.generation;
  return generation === undefined ? {} : { observedGeneration: generation };
}
