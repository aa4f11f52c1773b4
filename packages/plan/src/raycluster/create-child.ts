import type { KubeObject } from '@manta/api';
import { type Seen, updateOwn } from '../ownership.ts';
import { type Action, type ChildKind, type CreateAction, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { NamedRecord } from './observed.ts';
import type { Subject } from './subject.ts';

/** Creates an object unless it is there. `words` is what events call its kind; `whenExists` is for one that we did not see. */
export function createUnlessThere(
  subject: Subject,
  kind: ChildKind,
  words: string,
  object: KubeObject | undefined,
  existing: readonly NamedRecord[],
  whenExists: CreateAction['whenExists'] = 'fine',
): readonly CreateAction[] {
  const name = object?.metadata?.name ?? '';
  if (object === undefined || isThere(existing, name)) return [];
  const told = `${words} ${fullName(subject, name)}`;
  return [
    {
      type: 'create',
      kind,
      objects: [object],
      whenExists,
      done: normal(`Created${kind}`, 'Create', `Created ${told}`),
      failed: warning(`FailedToCreate${kind}`, 'Create', `Failed creating ${told}`),
    },
  ];
}

/** Whether an object of that name was seen. */
export function isThere(existing: readonly NamedRecord[], name: string): boolean {
  return existing.some((record) => record.name === name);
}

/** Replaces an object of this cluster by one that is up to date. */
export function updateChild(
  subject: Subject,
  kind: ChildKind,
  words: string,
  live: Seen,
  object: KubeObject,
): readonly Action[] {
  const told = `${words} ${fullName(subject, object.metadata?.name ?? '')}`;
  return updateOwn(subject.uid, kind, live, object, {
    done: normal(`Updated${kind}`, 'Update', `Updated ${told}`),
    failed: warning(`FailedToUpdate${kind}`, 'Update', `Failed updating ${told}`),
    // The cluster can do with what is there.
    isOptional: true,
  });
}
