import type { Pod } from '@manta/api';
import type { Action } from '../plan.ts';
import { gangOf, type Gang } from '../scheduling/gang.ts';
import { withMarks } from '../scheduling/marks.ts';
import { schedulerOf } from '../scheduling/schedulers.ts';
import type { Subject } from './subject.ts';
import { suspendPhase } from './suspend.ts';

/** Tells the batch scheduler, before there are pods, which of them have to come together; of a suspended cluster none do. */
export function planGang(subject: Subject): readonly Action[] {
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
