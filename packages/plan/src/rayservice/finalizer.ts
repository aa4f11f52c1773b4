import { Finalizer } from '@manta/api';
import { completeServiceSpec } from '../build/complete-spec.ts';
import { patchSelf, updateSelf } from '../ownership.ts';
import type { Action, Plan } from '../plan.ts';
import { deleteCluster } from './delete-objects.ts';
import type { ServiceState } from './service-state.ts';

const OURS = Finalizer.RayService;
/** The longest time between two reconciles of a service that is being deleted. */
const DELETION_REQUEUE_MS = 10_000;

/** Adds the finalizer before the service gets its first cluster, and completes the defaults of a valid spec in the same write. */
export function planFinalizer({ service }: ServiceState, isValid: boolean): readonly Action[] {
  const { metadata, spec } = service;
  const { finalizers = [] } = metadata ?? {};
  if (finalizers.includes(OURS)) return [];
  const object = {
    ...service,
    metadata: { ...metadata, finalizers: [...finalizers, OURS] },
    ...(spec === undefined || !isValid ? {} : { spec: completeServiceSpec(spec) }),
  };
  return [updateSelf('RayService', service, object)];
}

/** Deletes the clusters, then removes the finalizer. The garbage collector deletes all other objects. */
export function planDeletion(state: ServiceState): Plan {
  const { service, clusters } = state;
  const { finalizers = [], resourceVersion } = service.metadata ?? {};
  if (!finalizers.includes(OURS)) return { actions: [] };
  if (clusters.length > 0) {
    return { actions: clusters.flatMap((view) => deleteCluster(state, view)), requeueAfterMs: DELETION_REQUEUE_MS };
  }
  const others = finalizers.filter((finalizer) => finalizer !== OURS);
  return { actions: [patchSelf('RayService', service, { metadata: { resourceVersion, finalizers: others } })] };
}
