import type { Pod } from '@manta/api';
import type { Action } from '../plan.ts';
import { type Gang, gangOf } from '../scheduling/gang.ts';
import { withMarks } from '../scheduling/marks.ts';
import { schedulerOf } from '../scheduling/schedulers.ts';
import type { ClusterState } from './cluster-state.ts';
import { suspendPhase } from './suspend.ts';

/** Creates the pod group of the batch scheduler before its pods. A failure here never blocks deletions. */
export function createGangFirst(state: ClusterState, pods: readonly Action[]): readonly Action[] {
  const isCreation = ({ type }: Action) => type === 'create';
  const others = pods.filter((action) => !isCreation(action));
  return [...others, ...planGang(state), ...pods.filter(isCreation)];
}

/** A suspended cluster has no pod group. */
function planGang(state: ClusterState): readonly Action[] {
  const isDown = suspendPhase(state) === 'suspended' && state.spec.suspend === true && state.pods.length === 0;
  return schedulerOf(state.context)?.plan(clusterGang(state), state.gang ?? [], !isDown) ?? [];
}

/** Adds the labels and annotations of the batch scheduler, if there is one. */
export function forScheduler(state: ClusterState, group: string): (pod: Pod) => Pod {
  const marks = schedulerOf(state.context)?.marks(clusterGang(state), group);
  return (pod) => (marks === undefined ? pod : withMarks(pod, marks));
}

function clusterGang({ cluster, spec, context }: ClusterState): Gang {
  return gangOf({ kind: 'RayCluster', object: cluster }, cluster, spec, context);
}
