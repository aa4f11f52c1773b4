import { RayServiceEventReason as Event, type RayClusterSpec } from '@manta/api';
import { adoptServiceCluster, buildServiceCluster, updateServiceCluster } from '../../build/service-cluster.ts';
import { updateOwn } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { compareCluster } from './compare-cluster.ts';
import { deleteCluster } from './orphaned-clusters.ts';
import { fullName, type Side, type Subject } from '../service-state.ts';
import type { Succession } from './promotion.ts';

/** Makes the pending cluster once it has a name, and lets running clusters take what needs no new one. */
export function planClusters(subject: Subject, succession: Succession): readonly Action[] {
  const { active, pending } = subject;
  // Nothing is made for a place that is being given up.
  if (succession.pending === 'dropped' || (subject.isRollingBack && pending.view === undefined)) return [];
  if (pending.name !== '' && pending.view === undefined) {
    return subject.strategy.kind === 'recreate' && subject.clusters.length > 0
      ? makeRoom(subject)
      : [createCluster(subject, pending.name)];
  }
  return [...updateActive(subject, active), ...updatePending(subject, pending)];
}

/** The objects stay until their pods are gone: only then there is room. */
function makeRoom(subject: Subject): readonly Action[] {
  return subject.clusters.flatMap((old) =>
    deleteCluster(subject, old, ' to make room for its successor', 'Foreground'),
  );
}

function createCluster(subject: Subject, name: string): Action {
  const { service, context } = subject;
  const cluster = buildServiceCluster(service, startingSpec(subject), name, context.operatorVersion);
  const told = fullName(subject, name);
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
function startingSpec({ spec, strategy, active }: Subject): RayClusterSpec {
  const { rayClusterConfig } = spec;
  if (strategy.kind !== 'incremental' || active.name === '') return rayClusterConfig;
  const groups = rayClusterConfig.workerGroupSpecs?.map(({ replicas: _dropped, ...group }) => group);
  return { ...rayClusterConfig, ...(groups === undefined ? {} : { workerGroupSpecs: groups }) };
}

function updateActive(subject: Subject, active: Side): readonly Action[] {
  if (active.view === undefined || subject.isUpgrading) return [];
  const { verdict, hasForeignStamp } = compareCluster(subject, active.view.cluster);
  if (verdict === 'appended-groups') return updateCluster(subject, active);
  return hasForeignStamp && verdict === 'same' ? updateCluster(subject, active, adoptServiceCluster) : [];
}

function updatePending(subject: Subject, pending: Side): readonly Action[] {
  if (pending.view === undefined) return [];
  const { verdict } = compareCluster(subject, pending.view.cluster);
  return verdict === 'appended-groups' ? updateCluster(subject, pending) : [];
}

function updateCluster(subject: Subject, { view, role, name }: Side, update = updateServiceCluster): readonly Action[] {
  if (view === undefined) return [];
  const { service, spec, context } = subject;
  const wanted = buildServiceCluster(service, spec.rayClusterConfig, name, context.operatorVersion);
  const told = `the ${role} RayCluster ${fullName(subject, name)}`;
  return updateOwn(subject.uid, 'RayCluster', view.cluster, update(view.cluster, wanted), {
    done: normal(Event.UpdatedRayCluster, 'Update', `Updated ${told}`),
    failed: warning(Event.FailedToUpdateRayCluster, 'Update', `Failed to update ${told}:`),
  });
}
