import { deleteOwn } from '../ownership.ts';
import type { Action, PlannedEvent } from '../plan.ts';
import type { PodRecord } from './observed.ts';
import type { Subject } from './subject.ts';

/** What is reported of several deletions: `done` once all have succeeded, `failed` for the first that has not. */
interface Words {
  readonly done?: PlannedEvent;
  readonly failed?: PlannedEvent;
  readonly failure?: string;
  readonly isOptional?: boolean;
  readonly afterOthers?: boolean;
}

/** Deletes several pods of the cluster, each by its name and uid; pods that are being deleted already are left out. */
export function deletePods({ uid }: Subject, pods: readonly PodRecord[], { done, ...words }: Words): readonly Action[] {
  const staying = pods.filter(({ isTerminating }) => !isTerminating);
  const deletions = staying.flatMap((pod) => deleteOwn(uid, 'Pod', pod, words));
  return deletions.length === 0 || done === undefined ? deletions : [...deletions, { type: 'event', event: done }];
}
