import type { Action } from '../plan.ts';
import { holdForCertificates, restartForCertificates } from './certificates.ts';
import { planHead } from './head.ts';
import { decideRecreate } from './recreate.ts';
import { recycleLostWorkers } from './rejoin.ts';
import type { Subject } from './subject.ts';
import { suspendPhase, suspendPods, tellSuspension } from './suspend.ts';
import { planWorkers } from './workers.ts';

/** All pods of a cluster: gone while it is suspended, made anew when its spec asks for that, else one head and its workers. */
export function planPods(subject: Subject): readonly Action[] {
  const phase = suspendPhase(subject);
  // A pod that was under way when the suspension ended, or that another operator made, must not stay behind.
  const isStray = phase === 'suspended' && subject.spec.suspend === true;
  if (phase === 'suspending' || isStray) return suspendPods(subject);
  // A suspension that has only been asked for is first written into the status, so that it is carried to its end.
  if (phase === 'suspended') return [];
  if (subject.spec.suspend === true) return subject.pods.length === 0 ? [tellSuspension(subject)] : [];
  const recreate = decideRecreate(subject);
  if (recreate.kind === 'recreate') return recreate.actions;
  const head = planHead(subject);
  const actions = removalsFirst([
    ...(recreate.kind === 'restamp' ? recreate.actions : []),
    ...head.actions,
    ...(head.mayGoOn ? recycleLostWorkers(subject) : []),
    ...(head.mayGoOn ? planWorkers(subject) : []),
    ...restartForCertificates(subject),
  ]);
  return holdForCertificates(subject, actions);
}

/** Room is made before it is asked for: under a quota that is used up, a refused creation would keep everything after it from going. */
function removalsFirst(actions: readonly Action[]): readonly Action[] {
  const isCreation = ({ type }: Action) => type === 'create';
  return [...eachOnce(actions.filter((action) => !isCreation(action))), ...actions.filter(isCreation)];
}

/** A pod may have to go for more than one reason; the first is told. */
function eachOnce(actions: readonly Action[]): readonly Action[] {
  const seen = new Set<string>();
  return actions.filter((action) => {
    if (action.type !== 'delete') return true;
    const pod = `${action.kind}/${action.name}`;
    const isNew = !seen.has(pod);
    seen.add(pod);
    return isNew;
  });
}
