import { createMergePatch, isConflict, isNotFound } from '@manta/kube';
import { OutdatedError, toKey } from '@manta/runtime';
import { type Actor, namespaceOf, recordWrite, refOf, TYPES } from './actor.ts';
import { GONE } from './rewrite.ts';

/**
 * Writes the changed fields of the object's own status and nothing else. A conflict means that the object is no longer the one that was
 * planned for: it has changed, or another object has its name. If the object no longer exists, a cache that still shows it is stale: the
 * next reconcile waits until the cache shows the deletion, because Kubernetes would delete every new child at once.
 */
export async function writeStatus(actor: Actor, before: unknown, after: unknown): Promise<void> {
  const status = createMergePatch(before ?? {}, after);
  if (status === undefined) return;
  const { client, kind, object, context } = actor;
  const { name = '', uid = '', resourceVersion } = object.metadata ?? {};
  const patch = { type: 'merge', body: { metadata: { resourceVersion }, status } } as const;
  const options = { subresource: 'status', signal: context.signal };
  try {
    recordWrite(actor, kind, await client.patch(TYPES[kind], refOf(actor, name), patch, options));
  } catch (error) {
    if (!(await isGone(error, actor))) throw error;
    const informer = actor.informerOf(kind);
    if (informer !== undefined) context.deleted(informer, toKey(namespaceOf(actor), name), uid, GONE);
    throw new OutdatedError(`${kind} ${name} no longer exists`, { cause: error });
  }
}

/** Whether the object whose write was refused no longer exists: not found, or replaced by another. */
async function isGone(refusal: unknown, actor: Actor): Promise<boolean> {
  if (!isConflict(refusal)) return isNotFound(refusal);
  const { name = '', uid } = actor.object.metadata ?? {};
  try {
    const { signal } = actor.context;
    const found = await actor.client.get(TYPES[actor.kind], refOf(actor, name), { signal });
    return found.metadata?.uid !== uid;
  } catch (error) {
    return isNotFound(error);
  }
}
