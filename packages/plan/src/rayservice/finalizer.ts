import { Finalizer } from '@manta/api';
import { completeServiceSpec } from '../build/complete-spec.ts';
import { patchSelf, updateSelf } from '../ownership.ts';
import type { Action, Plan } from '../plan.ts';
import { deleteCluster } from './upgrade/orphaned-clusters.ts';
import type { ServiceState } from './service-state.ts';

const OURS = Finalizer.RayService;
/** A deletion is looked at this often even if nothing is seen to change. */
const LOOK_AGAIN_MS = 10_000;

/** Makes sure, before anything is made, that a deletion passes by us. */
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

/** Deletes the clusters of a service that is being deleted, then lets go of it; everything else goes by its owner references. */
export function planDeletion(state: ServiceState): Plan {
  const { service, clusters } = state;
  const { finalizers = [], resourceVersion } = service.metadata ?? {};
  if (!finalizers.includes(OURS)) return { actions: [] };
  if (clusters.length > 0) {
    return { actions: clusters.flatMap((view) => deleteCluster(state, view)), requeueAfterMs: LOOK_AGAIN_MS };
  }
  const others = finalizers.filter((finalizer) => finalizer !== OURS);
  return { actions: [patchSelf('RayService', service, { metadata: { resourceVersion, finalizers: others } })] };
}
