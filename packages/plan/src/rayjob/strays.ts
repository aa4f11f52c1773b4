import { RayJobEventReason } from '@manta/api';
import { deleteOwn } from '../ownership.ts';
import { type Action, normal } from '../plan.ts';
import { fullName, type Subject } from './subject.ts';

/** A cluster of an attempt that is over. */
export interface Stray {
  readonly name: string;
  readonly uid: string;
  /** The uid of the controller that owns it. */
  readonly owner: string | undefined;
}

/** Clusters that no attempt uses any more would otherwise stay for as long as the job. */
export function deleteStrays(subject: Subject): readonly Action[] {
  return (subject.strays ?? []).flatMap((stray) => {
    const note = `Deleted cluster ${fullName(subject, stray.name)} of an earlier attempt`;
    const done = normal(RayJobEventReason.DeletedRayCluster, 'Delete', note);
    return deleteOwn(subject.uid, 'RayCluster', stray, { done, isOptional: true });
  });
}
