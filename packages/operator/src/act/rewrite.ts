import { isRecord, type KubeObject } from '@manta/api';
import {
  isConflict,
  isForbidden,
  isNotFound,
  type KubeClient,
  type ObjectRef,
  type ResourceType,
  type Status,
} from '@manta/kube';
import { controllerOf, type DeleteAction, type PatchAction, type Rewrite, refusalOf } from '@manta/plan';
import { type Informer, toKey } from '@manta/runtime';

/** What changing an object that exists needs: the reconciled object, the means, and the cache that shows the other. */
export interface Rewriter {
  readonly client: KubeClient;
  readonly type: ResourceType;
  /** On whose behalf the operator acts. */
  readonly reconciled: KubeObject;
  readonly informer: Informer | undefined;
  readonly signal: AbortSignal;
}

/** The reconciled object is not the controller owner of the object that an action would change, and no named exception holds. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

/** The object that an action meant no longer exists. */
export const GONE: Status = { kind: 'Status' };

/** Attempts before an object that changes between every read and write is left to the next reconcile. */
const MAX_TRIES = 3;

/**
 * Updates, patches or deletes one object, only if the reconciled object controls it. The request has the uid and the resourceVersion with
 * which the object was last observed as ours. After a conflict the object is read again; if it is the same object and still ours, the
 * request is retried. Without a conflict one request is enough.
 */
export async function rewrite(action: Rewrite, rewriter: Rewriter): Promise<KubeObject | Status> {
  const { client, type, signal } = rewriter;
  let { owner, resourceVersion } = lastSeen(action, rewriter);
  for (let tries = 1; ; tries += 1) {
    const refusal = refusalOf(action, rewriter.reconciled, owner);
    if (refusal !== undefined) throw new NotOurs(refusal);
    if (action.type === 'update') return await client.update(type, action.object, { signal });
    try {
      return action.type === 'patch'
        ? await patch(action, rewriter, resourceVersion)
        : await remove(action, rewriter, resourceVersion);
    } catch (error) {
      if (action.type === 'delete' && (isNotFound(error) || isOfAnotherUid(error))) return GONE;
      if (!isConflict(error) || tries === MAX_TRIES || isLocked(action)) throw error;
      const current = await read(rewriter, refOf(action, rewriter), error);
      if (current?.metadata?.uid !== action.target.uid) {
        if (action.type === 'delete') return GONE;
        throw error;
      }
      owner = controllerOf(current);
      resourceVersion = current.metadata.resourceVersion;
    }
  }
}

/** The newest known version of the object: from the cache if it shows the same object, else as it was planned for. */
function lastSeen(action: Rewrite, { informer, reconciled }: Rewriter) {
  const { target } = action;
  const name = action.type === 'update' ? (action.object.metadata?.name ?? '') : action.name;
  const entry = informer?.entry(toKey(reconciled.metadata?.namespace ?? '', name));
  if (entry?.uid !== target.uid) return { owner: target.owner, resourceVersion: target.resourceVersion };
  return { owner: ownerIn(entry.record), resourceVersion: entry.resourceVersion };
}

/** Caches keep whole objects, or records that keep the uid of the controller owner. */
function ownerIn(record: unknown): string | undefined {
  if (!isRecord(record)) return undefined;
  if ('metadata' in record) return controllerOf(record);
  return typeof record['owner'] === 'string' ? record['owner'] : undefined;
}

function patch(action: PatchAction, rewriter: Rewriter, resourceVersion: string | undefined): Promise<KubeObject> {
  const { client, type, signal, reconciled } = rewriter;
  const { uid } = action.target;
  const isVersioned = isLocked(action) || uid === reconciled.metadata?.uid || resourceVersion === undefined;
  const body = withMetadata(action.patch, { uid, ...(isVersioned ? {} : { resourceVersion }) });
  return client.patch(type, refOf(action, rewriter), { type: 'merge', body }, { signal });
}

function withMetadata(body: unknown, added: Readonly<Record<string, string>>): unknown {
  const { metadata, ...rest } = isRecord(body) ? body : {};
  return { ...rest, metadata: { ...added, ...(isRecord(metadata) ? metadata : {}) } };
}

/** Whether the plan requires the object exactly as it was read, so that a change makes the plan outdated. */
function isLocked(action: Rewrite): boolean {
  if (action.type !== 'patch' || !isRecord(action.patch)) return action.type === 'update';
  const { metadata } = action.patch;
  return isRecord(metadata) && metadata['resourceVersion'] !== undefined;
}

function remove(
  action: DeleteAction,
  rewriter: Rewriter,
  resourceVersion: string | undefined,
): Promise<KubeObject | Status> {
  const { client, type, signal } = rewriter;
  const { uid, propagation } = action;
  return client.delete(type, refOf(action, rewriter), {
    preconditions: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    signal,
    ...(propagation === undefined ? {} : { propagation }),
  });
}

/** Undefined: the object no longer exists. Without the permission to read it, `conflict` stands. */
async function read(
  { client, type, signal }: Rewriter,
  ref: ObjectRef,
  conflict: unknown,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, ref, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw isForbidden(error) ? conflict : error;
  }
}

/** The only reason for a conflict that means that the object no longer exists. */
function isOfAnotherUid(error: unknown): boolean {
  return isConflict(error) && error instanceof Error && /\bUID in (the )?precondition/.test(error.message);
}

function refOf(action: PatchAction | DeleteAction, { reconciled }: Rewriter): ObjectRef {
  return { namespace: reconciled.metadata?.namespace ?? '', name: action.name };
}
