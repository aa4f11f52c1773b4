import { isObject, type JsonObject } from '../../json.ts';
import type { StoredObject } from '../../stored-object.ts';
import type { Api } from '../api.ts';
import { conflict } from '../errors.ts';
import { textAt, valueAt } from '../json-path.ts';
import { finalizersOf, metadataOf, metaText, timestamp, withMetadata } from '../metadata.ts';
import type { Scope } from '../request.ts';
import { asJson, asNew, asStored } from '../stored-json.ts';
import { checkDeleteParams, type DeleteParams, type Propagation } from './delete-params.ts';
import { storedObject } from './get.ts';
import { keyOf } from './key-of.ts';

/** What a delete did: the object is gone, or it waits for finalizers or for its grace period. */
export interface Deleted {
  readonly object: StoredObject;
  readonly isGone: boolean;
}

/** Deletes an object, or marks it for deletion. */
export async function deleteObject(api: Api, scope: Scope, params: DeleteParams = {}): Promise<Deleted> {
  checkDeleteParams(params);
  const first = storedObject(api, scope);
  checkPreconditions(scope, first, params);
  const old = asJson(scope.version.fromStored(first));
  await api.admission.validate({ scope, operation: 'DELETE', old, isDryRun: params.isDryRun === true });
  // Admission may have taken its time: decide on what is there now.
  const stored = storedObject(api, scope);
  checkPreconditions(scope, stored, params);
  const marked = mark(api, scope, asJson(stored), params);
  if (marked === undefined) return remove(api, scope, stored, params);
  if (params.isDryRun === true) return { object: scope.version.fromStored(asStored(marked)), isGone: false };
  const written = api.store.update(keyOf(scope), asNew(marked), Number(stored.metadata.resourceVersion));
  return { object: scope.version.fromStored(written), isGone: false };
}

function remove(api: Api, scope: Scope, stored: StoredObject, params: DeleteParams): Deleted {
  if (params.isDryRun === true) return { object: scope.version.fromStored(stored), isGone: true };
  const gone = api.store.delete(keyOf(scope), Number(stored.metadata.resourceVersion));
  const object = scope.version.fromStored(gone);
  api.admission.admitted({ scope, operation: 'DELETE', old: asJson(object), isDryRun: false });
  return { object, isGone: true };
}

function checkPreconditions(scope: Scope, stored: StoredObject, { preconditions }: DeleteParams): void {
  const { uid, resourceVersion } = stored.metadata;
  const refuse = (what: string, wanted: string, actual: string, end: string) => {
    const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${actual}). ${end}`;
    const { group, kind } = scope.resource.info;
    return conflict({ group, plural: kind }, scope.name, why);
  };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw refuse('UID', preconditions.uid, uid, 'The object might have been deleted and then recreated');
  }
  const wanted = preconditions?.resourceVersion;
  if (wanted !== undefined && wanted !== resourceVersion) {
    throw refuse('ResourceVersion', wanted, resourceVersion, 'The object might have been modified');
  }
}

/** The object marked for deletion; undefined when nothing keeps it. */
function mark(api: Api, scope: Scope, stored: JsonObject, params: DeleteParams): JsonObject | undefined {
  const finalizers = finalizersFor(scope, stored, params);
  const grace = graceFor(scope, stored, params);
  const isKept = finalizers.length > 0 || grace > 0 || isNamespaceWithContent(stored);
  if (!isKept) return undefined;
  const now = api.world.clock.now();
  const { deletionTimestamp, generation } = metadataOf(stored);
  const isNew = deletionTimestamp === undefined;
  const graces = isNew || grace < currentGrace(stored);
  const marked = withMetadata(stored, {
    finalizers: finalizers.length === 0 ? undefined : [...finalizers],
    ...(graces
      ? { deletionTimestamp: timestamp(deadline(stored, now, grace)), deletionGracePeriodSeconds: grace }
      : {}),
    ...(isNew && typeof generation === 'number' && generation > 0 ? { generation: generation + 1 } : {}),
  });
  return scope.resource.info.kind === 'Namespace' && scope.resource.info.group === '' ? terminating(marked) : marked;
}

/** A shorter grace period counts from the moment of the first deletion. */
function deadline(stored: JsonObject, nowMs: number, grace: number): number {
  const before = Date.parse(metaText(stored, 'deletionTimestamp'));
  const start = Number.isNaN(before) ? nowMs : before - currentGrace(stored) * 1000;
  return Number.isNaN(before) ? nowMs + grace * 1000 : Math.max(start + grace * 1000, start);
}

function currentGrace(object: JsonObject): number {
  const grace = metadataOf(object)['deletionGracePeriodSeconds'];
  return typeof grace === 'number' ? grace : 0;
}

/** Pods that somebody runs get time to end; everything else goes at once. */
function graceFor(scope: Scope, stored: JsonObject, params: DeleteParams): number {
  if (!scope.resource.rules.isGraceful) return 0;
  if (textAt(stored, 'spec.nodeName') === '') return 0;
  if (['Succeeded', 'Failed'].includes(textAt(stored, 'status.phase'))) return 0;
  const own = valueAt(stored, 'spec.terminationGracePeriodSeconds');
  const wanted = params.gracePeriodSeconds ?? (typeof own === 'number' ? own : 30);
  const isDeleting = metadataOf(stored)['deletionTimestamp'] !== undefined;
  return isDeleting ? Math.min(Math.max(wanted, 0), currentGrace(stored)) : Math.max(wanted, 0);
}

const DEPENDENT_FINALIZERS: Readonly<Record<Propagation, string | undefined>> = {
  Background: undefined,
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
};

/** The propagation policy becomes a finalizer that the garbage collector works off. */
function finalizersFor(scope: Scope, stored: JsonObject, params: DeleteParams): readonly string[] {
  const current = finalizersOf(stored);
  const isDeleting = metadataOf(stored)['deletionTimestamp'] !== undefined;
  const { propagation } = params;
  if (propagation === undefined || !scope.resource.rules.isGarbageCollected) return current;
  const others = current.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  const wanted = DEPENDENT_FINALIZERS[propagation];
  if (isDeleting && wanted !== undefined && !current.includes(wanted)) return [...others, wanted];
  return wanted === undefined ? others : [...others, wanted];
}

function isNamespaceWithContent(object: JsonObject): boolean {
  const finalizers = valueAt(object, 'spec.finalizers');
  return object['kind'] === 'Namespace' && Array.isArray(finalizers) && finalizers.length > 0;
}

function terminating(namespace: JsonObject): JsonObject {
  const status = namespace['status'];
  return { ...namespace, status: { ...(isObject(status) ? status : {}), phase: 'Terminating' } };
}
