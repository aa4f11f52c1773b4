import { RayServiceEventReason as Event, type RayClusterSpec } from '@manta/api';
import { adoptServiceCluster, buildServiceCluster, updateServiceCluster } from '../../build/service-cluster.ts';
import { updateOwn } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { compareCluster } from './compare-cluster.ts';
import { deleteCluster } from './orphaned-clusters.ts';
import { fullName, type AssignedCluster, type ServiceState } from '../service-state.ts';
import type { UpgradeDecision } from './promotion.ts';

/** Makes the pending cluster once it has a name, and lets running clusters take what needs no new one. */
export function planClusters(state: ServiceState, decision: UpgradeDecision): readonly Action[] {
  const { active, pending } = state;
  // Nothing is made for a place that is being given up.
  if (decision.pending === 'dropped' || (state.isRollingBack && pending.view === undefined)) return [];
  if (pending.name !== '' && pending.view === undefined) {
    return state.strategy.kind === 'recreate' && state.clusters.length > 0
      ? deleteOldClusters(state)
      : [createCluster(state, pending.name)];
  }
  return [...updateActive(state, active), ...updatePending(state, pending)];
}

/** The objects stay until their pods are gone: only then there is room. */
function deleteOldClusters(state: ServiceState): readonly Action[] {
  return state.clusters.flatMap((old) => deleteCluster(state, old, ' to make room for its successor', 'Foreground'));
}

function createCluster(state: ServiceState, name: string): Action {
  const { service, context } = state;
  const cluster = buildServiceCluster(service, startingSpec(state), name, context.operatorVersion);
  const told = fullName(state, name);
  return {
    type: 'create',
    kind: 'RayCluster',
    objects: [cluster],
    whenExists: 'fine-if-ours',
    done: normal(Event.CreatedRayCluster, 'Create', `Created the RayCluster ${told}`),
    failed: warning(Event.FailedToCreateRayCluster, 'Create', `Failed to create the RayCluster ${told}:`),
    // The cluster that serves is looked after all the same.
    isOptional: true,
  };
}

/** A cluster that takes over step by step starts small; its autoscaler adds workers as Serve asks for them. */
function startingSpec({ spec, strategy, active }: ServiceState): RayClusterSpec {
  const { rayClusterConfig } = spec;
  if (strategy.kind !== 'incremental' || active.name === '') return rayClusterConfig;
  const groups = rayClusterConfig.workerGroupSpecs?.map(({ replicas: _dropped, ...group }) => group);
  return { ...rayClusterConfig, ...(groups === undefined ? {} : { workerGroupSpecs: groups }) };
}

function updateActive(state: ServiceState, active: AssignedCluster): readonly Action[] {
  if (active.view === undefined || state.isUpgrading) return [];
  const { verdict, hasForeignStamp } = compareCluster(state, active.view.cluster);
  if (verdict === 'appended-groups') return updateCluster(state, active);
  return hasForeignStamp && verdict === 'same' ? updateCluster(state, active, adoptServiceCluster) : [];
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
  const told = `the ${role} RayCluster ${fullName(state, name)}`;
  return updateOwn(state.uid, 'RayCluster', view.cluster, update(view.cluster, wanted), {
    done: normal(Event.UpdatedRayCluster, 'Update', `Updated ${told}`),
    failed: warning(Event.FailedToUpdateRayCluster, 'Update', `Failed to update ${told}:`),
  });
}
