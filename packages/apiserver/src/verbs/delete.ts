import type { StoredObject } from '../object/stored-object.ts';
import { deleteOptions } from '../admission/options.ts';
import type { Api } from '../api.ts';
import { conflict } from '../status/errors.ts';
import type { Scope } from '../requests/request.ts';
import { asJson, asNew, asStored } from '../object/stored-json.ts';
import { checkDeleteParams, type DeleteParams } from './delete-params.ts';
import { storedObject } from './get.ts';
import { keyOf } from './key-of.ts';
import { markDeleted } from './mark-deleted.ts';

/** The result of a delete: the object is deleted, or waits for finalizers or its grace period. */
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
  const options = deleteOptions(params);
  await api.admission.validate({ scope, operation: 'DELETE', old, isDryRun: params.isDryRun === true, options });
  // Admission may have taken its time: decide on what is there now.
  const stored = storedObject(api, scope);
  checkPreconditions(scope, stored, params);
  if (isEnding(stored, params)) return { object: scope.version.fromStored(stored), isGone: false };
  const { marked, isKept } = markDeleted(scope, asJson(stored), params, api.world.clock.now());
  // The kubelet observes the deletion mark before the object is deleted.
  const isWritten = isKept || scope.resource.rules.isGraceful;
  if (params.isDryRun === true) {
    return { object: scope.version.fromStored(isWritten ? asStored(marked) : stored), isGone: !isKept };
  }
  const revision = Number(stored.metadata.resourceVersion);
  const written = isWritten ? api.store.update(keyOf(scope), asNew(marked), revision) : stored;
  return isKept ? { object: scope.version.fromStored(written), isGone: false } : remove(api, scope, written);
}

/** Deleted before, with time left to end in that this delete does not shorten. */
function isEnding({ metadata }: StoredObject, { gracePeriodSeconds: wanted }: DeleteParams): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: left } = metadata;
  if (deletionTimestamp === undefined || typeof left !== 'number' || left === 0) return false;
  return wanted === undefined || wanted >= left;
}

function remove(api: Api, scope: Scope, stored: StoredObject): Deleted {
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
