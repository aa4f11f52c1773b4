import { deepEqual } from '../object/deep-equal.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { ResolveSchema, Schema } from '../object/schema.ts';
import { StatusError } from '../status/status-error.ts';
import { joinTypeErrors, typeErrors } from './managed-fields/check-typed.ts';
import { applyConflict } from './managed-fields/conflict.ts';
import { currentOwners } from './managed-fields/current-owners.ts';
import { difference, emptyFieldSet, type FieldSet, isEmptySet } from './managed-fields/field-set.ts';
import { fieldsOf } from './managed-fields/fields-of.ts';
import { fieldsLastApplied, withLastApplied } from './managed-fields/last-applied.ts';
import { mergeTyped } from './managed-fields/merge-values.ts';
import { objectType } from './managed-fields/object-type.ts';
import { type Owner, type Owners, ownerId, readOwners, UnreadableOwners } from './managed-fields/owners.ts';
import { pruneUnapplied } from './managed-fields/prune-unapplied.ts';
import { ownersAfterUpdate } from './managed-fields/record-update.ts';
import { resetFields, withoutReset } from './managed-fields/reset-fields.ts';
import { withoutUntracked } from './managed-fields/strip-metadata.ts';
import { comparisonOf, conflictsOf, takeFields } from './managed-fields/update-owners.ts';
import { withManagedFields, withoutManagedFields } from './managed-fields/without-managed-fields.ts';

/** What server-side apply works on. */
export interface ApplyRequest {
  /** The object as it is stored, in the version of the request; undefined where it does not exist yet. */
  readonly live: JsonObject | undefined;
  /** What the manager sent, decoded from YAML; null for an empty body. */
  readonly applied: Json;
  readonly manager: string;
  readonly force: boolean;
  /** The kind's schema in the version of the request. */
  readonly schema: Schema;
  readonly resolve: ResolveSchema;
  /** The time for changed entries, RFC 3339 without fractions. */
  readonly now: string;
  /** The version of the request, as in `ray.io/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Whether the kind has a status subresource. */
  readonly hasStatus: boolean;
  /** Whether a version is still served; managers of other versions are dropped. Default: all are served. */
  readonly isServed?: (apiVersion: string) => boolean;
}

/**
 * The object after a manager applied its wishes, with `metadata.managedFields`, not defaulted yet; a map that lost its last key is null.
 * Throws 409 where somebody else owns a field that would change, 400 for an object of another kind and 500, as the server does, for one
 * that does not fit the schema.
 */
export function serverSideApply(request: ApplyRequest): JsonObject {
  const applied = checkApplied(request);
  const live = request.live === undefined ? undefined : withoutManagedFields(request.live);
  const owners = ownersOf(request);
  const type = objectType(request.schema, request.resolve);
  const reset = resetFields(request);
  const merged = asObject(mergeTyped(type, live ?? {}, applied));
  const writer: Owner = {
    manager: request.manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    subresource: request.subresource,
    time: undefined,
    fields: withoutReset(fieldsOf(type, applied), reset),
  };
  const id = ownerId(writer);
  const last = owners.get(id);
  const claimed = new Map(owners).set(id, { ...writer, time: last?.time });
  const after = pruneUnapplied(type, merged, claimed, last?.fields ?? emptyFieldSet);
  const comparison = comparisonOf({ type, before: live ?? {}, after, reset });
  if (!request.force) refuseConflicts(request, claimed, conflictsOf(claimed, id, comparison));
  const isChanged = !deepEqual(live, after);
  const left = stripWriter(takeFields(claimed, id, comparison), id, isChanged ? request.now : undefined);
  const result = request.manager === 'kubectl' ? withLastApplied(after, applied) : after;
  return withManagedFields(isChanged ? result : (live ?? result), left);
}

/** Identity and what only the server writes are no fields of the writer; it keeps its time where nothing changed. */
function stripWriter(owners: Owners, id: string, changedAt: string | undefined): Owners {
  const writer = owners.get(id);
  if (writer === undefined) return owners;
  const fields = withoutUntracked(writer.fields);
  const others = new Map(owners);
  if (isEmptySet(fields)) others.delete(id);
  else others.set(id, { ...writer, fields, time: changedAt ?? writer.time });
  return others;
}

function refuseConflicts(request: ApplyRequest, owners: Owners, conflicts: ReadonlyMap<string, FieldSet>): void {
  const allowed =
    request.manager === 'kubectl' && request.live !== undefined
      ? fieldsLastApplied(objectType(request.schema, request.resolve), request.live, request.apiVersion)
      : emptyFieldSet;
  const refused = new Map(
    [...conflicts]
      .map(([id, fields]) => [id, difference(fields, allowed)] as const)
      .filter(([, fields]) => !isEmptySet(fields)),
  );
  if (refused.size > 0) throw applyConflict(owners, refused);
}

/** The owners before the apply; an object without any belongs to `before-first-apply` as a whole. */
function ownersOf(request: ApplyRequest): Owners {
  const { live } = request;
  if (live === undefined) return new Map();
  const owners = readLiveOwners(live);
  if (owners.size > 0) return currentOwners(owners, objectType(request.schema, request.resolve), request.isServed);
  const after = withoutManagedFields(live);
  return ownersAfterUpdate(owners, { ...request, before: undefined, after, manager: 'before-first-apply' });
}

function readLiveOwners(live: JsonObject): Owners {
  const metadata = live['metadata'];
  try {
    return readOwners(isObject(metadata) ? metadata['managedFields'] : undefined);
  } catch (error) {
    if (!(error instanceof UnreadableOwners)) throw error;
    throw new StatusError(500, '', `failed to decode managed fields: ${error.message}`);
  }
}

function checkApplied(request: ApplyRequest): JsonObject {
  const applied = asObject(request.applied ?? {});
  if (applied['apiVersion'] !== request.apiVersion || applied['kind'] !== request.kind) {
    throw new StatusError(400, 'BadRequest', `invalid object type: ${kindText(applied)}`);
  }
  const metadata = isObject(applied['metadata']) ? applied['metadata'] : {};
  if (Array.isArray(metadata['managedFields'])) {
    throw new StatusError(400, 'BadRequest', 'metadata.managedFields must be nil');
  }
  const errors = typeErrors(objectType(request.schema, request.resolve), applied);
  if (errors.length === 0) return applied;
  const name = `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}`;
  const message = `failed to create typed patch object (${name}; ${kindText(applied)}): ${joinTypeErrors(errors)}`;
  throw new StatusError(500, '', message);
}

/** `group/version, Kind=kind`, all empty where the version makes no sense. */
function kindText(object: JsonObject): string {
  const parts = textOf(object['apiVersion']).split('/');
  if (parts.length > 2) return '/, Kind=';
  const [group, version] = parts.length === 2 ? parts : ['', parts[0]];
  return `${group ?? ''}/${version ?? ''}, Kind=${textOf(object['kind'])}`;
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
