import type { Pod } from '@manta/api';
import type { Action } from '../plan.ts';
import { type Gang, gangOf } from '../scheduling/gang.ts';
import { withMarks } from '../scheduling/marks.ts';
import { schedulerOf } from '../scheduling/schedulers.ts';
import type { Subject } from './subject.ts';
import { suspendPhase } from './suspend.ts';

/** Tells the batch scheduler which pods have to come together before any of them comes. What goes wrong with that holds up nothing that has to go. */
export function gangBeforeNewPods(subject: Subject, pods: readonly Action[]): readonly Action[] {
  const isCreation = ({ type }: Action) => type === 'create';
  const others = pods.filter((action) => !isCreation(action));
  return [...others, ...planGang(subject), ...pods.filter(isCreation)];
}

/** Of a suspended cluster no pods have to come together. */
function planGang(subject: Subject): readonly Action[] {
  const isDown = suspendPhase(subject) === 'suspended' && subject.spec.suspend === true && subject.pods.length === 0;
  return schedulerOf(subject.context)?.plan(clusterGang(subject), subject.gang ?? [], !isDown) ?? [];
}

/** Marks pods of a group for the batch scheduler, if there is one. */
export function forScheduler(subject: Subject, group: string): (pod: Pod) => Pod {
  const marks = schedulerOf(subject.context)?.marks(clusterGang(subject), group);
  return (pod) => (marks === undefined ? pod : withMarks(pod, marks));
}

function clusterGang({ cluster, spec, context }: Subject): Gang {
  return gangOf({ kind: 'RayCluster', object: cluster }, cluster, spec, context);
}
