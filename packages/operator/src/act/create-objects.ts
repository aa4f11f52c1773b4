import type { KubeObject } from '@manta/api';
import { isAlreadyExists, isForbidden, METADATA, type ResourceType, shapeOf } from '@manta/kube';
import { type CreateAction, isOwn } from '@manta/plan';
import { OutdatedError } from '@manta/runtime';
import { type Actor, emit, namespaceOf, recordWrite, refOf, TYPES } from './actor.ts';
import { inBatches } from './in-batches.ts';
import { NotOurs } from './rewrite.ts';

/** After this many creations for one object, creations for other objects take priority. */
const BULK_FROM = 8;

/** Creates the objects of one action in batches; the first refusal stops the rest. */
export async function createObjects(action: CreateAction, actor: Actor): Promise<void> {
  const refusal = await inBatches(action.objects, actor.clock, async (object, index) => {
    try {
      await createOne(action, object, actor, index >= BULK_FROM);
      return undefined;
    } catch (error) {
      return { error };
    }
  });
  if (refusal !== undefined) throw refusal.error;
}

/** The response is read only for its metadata; the informers deliver the objects themselves. */
const ONLY_METADATA = shapeOf({ 1: METADATA });

/** An object of ours with the same name is still being deleted. */
export class StillDeleting extends Error {
  override readonly name = 'StillDeleting';
}

async function createOne(action: CreateAction, object: KubeObject, actor: Actor, isBulk: boolean): Promise<void> {
  const { client, context } = actor;
  const type = TYPES[action.kind];
  if (actor.isOutdated?.(action) === true)
    throw new OutdatedError(`${type.kind} ${object.metadata?.name} was wanted by a plan that no longer holds`);
  try {
    recordWrite(
      actor,
      action.kind,
      await client.create(type, object, { signal: context.signal, isBulk, shape: ONLY_METADATA }),
    );
  } catch (error) {
    if (!isAlreadyExists(error) || action.whenExists === 'failure') throw error;
    if (action.whenExists === 'fine') return;
    const existing = await existingOf(action, object, actor, error);
    if (!isOwn(actor.object.metadata?.uid ?? '', existing))
      throw action.whenForeign === 'skip' ? new NotOurs(foreign(type, object, actor), { cause: error }) : error;
    if (existing.metadata?.deletionTimestamp !== undefined) {
      throw new StillDeleting(`${type.kind} ${existing.metadata.name} is still being deleted`, { cause: error });
    }
    // We created it before: the response was lost, or the cache is stale.
    recordWrite(actor, action.kind, existing);
    return;
  }
  if (action.done !== undefined)
    emit(actor, { ...action.done, note: action.done.note.replace('%n', object.metadata?.name ?? '') });
}

/** The existing object of that name. Without permission to read it, it counts as not ours. */
async function existingOf(
  { kind, whenForeign }: CreateAction,
  object: KubeObject,
  actor: Actor,
  exists: unknown,
): Promise<KubeObject> {
  const { client, context } = actor;
  try {
    return await client.get(TYPES[kind], refOf(actor, object.metadata?.name ?? ''), { signal: context.signal });
  } catch (error) {
    if (whenForeign !== 'skip' || !isForbidden(error)) throw error;
    throw new NotOurs(foreign(TYPES[kind], object, actor), { cause: exists });
  }
}

function foreign({ kind }: ResourceType, { metadata }: KubeObject, actor: Actor): string {
  const name = `${kind} ${namespaceOf(actor)}/${metadata?.name}`;
  const owner = `${actor.kind} ${namespaceOf(actor)}/${actor.object.metadata?.name}`;
  return `${name} exists and is not controlled by ${owner}: it is not used. Delete or rename it, or rename the ${actor.kind}`;
}
