import type { KubeObject } from '@manta/api';
import { deleteOwn, type Seen, updateOwn } from '../ownership.ts';
import { type Action, type ChildKind, type CreateAction, normal, type PlannedEvent, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import type { NamedRecord, PodRecord } from './observed.ts';

/** Creates an object unless it exists. `words` names its kind in events; `whenExists` is for an object that the cache does not show. */
export function createUnlessExists(
  state: ClusterState,
  kind: ChildKind,
  words: string,
  object: KubeObject | undefined,
  existing: readonly NamedRecord[],
  whenExists: CreateAction['whenExists'] = 'fine',
): readonly CreateAction[] {
  const name = object?.metadata?.name ?? '';
  if (object === undefined || exists(existing, name)) return [];
  const description = `${words} ${fullName(state, name)}`;
  return [
    {
      type: 'create',
      kind,
      objects: [object],
      whenExists,
      done: normal(`Created${kind}`, 'Create', `Created ${description}`),
      failed: warning(`FailedToCreate${kind}`, 'Create', `Failed creating ${description}`),
    },
  ];
}

/** Whether an object of that name was observed. */
export function exists(existing: readonly NamedRecord[], name: string): boolean {
  return existing.some((record) => record.name === name);
}

/** Updates an object of this cluster. */
export function updateChild(
  state: ClusterState,
  kind: ChildKind,
  words: string,
  live: Seen,
  object: KubeObject,
): readonly Action[] {
  const description = `${words} ${fullName(state, object.metadata?.name ?? '')}`;
  return updateOwn(state.uid, kind, live, object, {
    done: normal(`Updated${kind}`, 'Update', `Updated ${description}`),
    failed: warning(`FailedToUpdate${kind}`, 'Update', `Failed updating ${description}`),
    // The cluster works with the existing object.
    isOptional: true,
  });
}

/** What is reported of several deletions: `done` once all have succeeded, `failed` for the first that has not. */
interface Reports {
  readonly done?: PlannedEvent;
  readonly failed?: PlannedEvent;
  readonly failure?: string;
  readonly isOptional?: boolean;
  readonly afterOthers?: boolean;
}

/** Deletes several pods of the cluster, each by its name and uid; pods that are being deleted already are left out. */
export function deletePods(
  { uid }: ClusterState,
  pods: readonly PodRecord[],
  { done, ...words }: Reports,
): readonly Action[] {
  const staying = pods.filter(({ isTerminating }) => !isTerminating);
  const deletions = staying.flatMap((pod) => deleteOwn(uid, 'Pod', pod, words));
  return deletions.length === 0 || done === undefined ? deletions : [...deletions, { type: 'event', event: done }];
}
