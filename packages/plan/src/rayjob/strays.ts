import { RayJobEventReason } from '@manta/api';
import { type Action, normal } from '../plan.ts';
import { fullName, type Subject } from './subject.ts';

/** A cluster of an attempt that is over. */
export interface Stray {
  readonly name: string;
  readonly uid: string;
}

/** Clusters that no attempt uses any more would otherwise stay for as long as the job. */
export function deleteStrays(subject: Subject): readonly Action[] {
  return (subject.strays ?? []).map(({ name, uid }) => {
    const note = `Deleted cluster ${fullName(subject, name)} of an earlier attempt`;
    const done = normal(RayJobEventReason.DeletedRayCluster, 'Delete', note);
    return { type: 'delete', kind: 'RayCluster', name, uid, done, isOptional: true };
  });
}
