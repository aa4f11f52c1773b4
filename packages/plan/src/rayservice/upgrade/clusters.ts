import { type RayClusterSpec, RayServiceEventReason as Event } from '@manta/api';
import { adoptServiceCluster, buildServiceCluster, updateServiceCluster } from '../../build/service-cluster.ts';
import { updateOwn } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { deleteCluster } from '../delete-objects.ts';
import { type AssignedCluster, fullName, type ServiceState } from '../service-state.ts';
import { compareCluster } from './compare-cluster.ts';
import type { UpgradeDecision } from './promotion.ts';

/** Creates the pending cluster that the status names, and updates existing clusters in place if the change needs no new cluster. */
export function planClusters(state: ServiceState, decision: UpgradeDecision): readonly Action[] {
  const { active, pending } = state;
  // A pending cluster that is about to be discarded is not created.
  if (decision.pending === 'discarded' || (state.isRollingBack && pending.view === undefined)) return [];
  if (pending.name !== '' && pending.view === undefined) {
    return state.strategy.kind === 'recreate' && state.clusters.length > 0
      ? deleteOldClusters(state)
      : [createCluster(state, pending.name)];
  }
  return [...updateActive(state, active), ...updatePending(state, pending)];
}

/** Strategy Recreate. With foreground deletion the old objects exist until their pods have released their resources. */
function deleteOldClusters(state: ServiceState): readonly Action[] {
  return state.clusters.flatMap((old) => deleteCluster(state, old, ' to make room for its successor', 'Foreground'));
}

function createCluster(state: ServiceState, name: string): Action {
  const { service, context } = state;
  const cluster = buildServiceCluster(service, startingSpec(state), name, context.operatorVersion);
  const what = fullName(state, name);
  return {
    type: 'create',
    kind: 'RayCluster',
    objects: [cluster],
    whenExists: 'fine-if-ours',
    done: normal(Event.CreatedRayCluster, 'Create', `Created the RayCluster ${what}`),
    failed: warning(Event.FailedToCreateRayCluster, 'Create', `Failed to create the RayCluster ${what}:`),
    // A failure must not keep the operator from reconciling the cluster that serves.
    isOptional: true,
  };
}

/** In an incremental upgrade a cluster starts without `replicas`: its autoscaler adds workers as its capacity grows. */
function startingSpec({ spec, strategy, active }: ServiceState): RayClusterSpec {
  const { rayClusterConfig } = spec;
  if (strategy.kind !== 'incremental' || active.name === '') return rayClusterConfig;
  const groups = rayClusterConfig.workerGroupSpecs?.map(({ replicas: _removed, ...group }) => group);
  return { ...rayClusterConfig, ...(groups === undefined ? {} : { workerGroupSpecs: groups }) };
}

/** Adopts a cluster that KubeRay or another version created: it gets this operator's annotations and keeps its spec. */
function updateActive(state: ServiceState, active: AssignedCluster): readonly Action[] {
  if (active.view === undefined || state.isUpgrading) return [];
  const { verdict, hasForeignHash } = compareCluster(state, active.view.cluster);
  if (verdict === 'appended-groups') return updateCluster(state, active);
  return hasForeignHash && verdict === 'same' ? updateCluster(state, active, adoptServiceCluster) : [];
}

function updatePending(state: ServiceState, pending: AssignedCluster): readonly Action[] {
  if (pending.view === undefined) return [];
  const { verdict } = compareCluster(state, pending.view.cluster);
  return verdict === 'appended-groups' ? updateCluster(state, pending) : [];
}

function updateCluster(
  state: ServiceState,
  { view, role, name }: AssignedCluster,
  update = updateServiceCluster,
): readonly Action[] {
  if (view === undefined) return [];
  const { service, spec, context } = state;
  const wanted = buildServiceCluster(service, spec.rayClusterConfig, name, context.operatorVersion);
  const what = `the ${role} RayCluster ${fullName(state, name)}`;
  return updateOwn(state.uid, 'RayCluster', view.cluster, update(view.cluster, wanted), {
    done: normal(Event.UpdatedRayCluster, 'Update', `Updated ${what}`),
    failed: warning(Event.FailedToUpdateRayCluster, 'Update', `Failed to update ${what}:`),
  });
}
