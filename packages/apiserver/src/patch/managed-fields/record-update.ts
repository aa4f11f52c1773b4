import { isObject, type Json, type JsonObject } from '../../object/json.ts';
import type { ResolveSchema, Schema } from '../../object/schema.ts';
import { capUpdaters } from './cap-updaters.ts';
import { isEmptySet, union } from './field-set.ts';
import { objectType } from './object-type.ts';
import { currentOwners } from './current-owners.ts';
import { type Owner, type Owners, ownerId, readOwners, UnreadableOwners } from './owners.ts';
import { resetFields, withoutReset } from './reset-fields.ts';
import { withoutUntracked } from './strip-metadata.ts';
import { comparisonOf, takeFields } from './update-owners.ts';
import { withManagedFields, withoutManagedFields } from './without-managed-fields.ts';
import { zeroObject } from './zero-object.ts';

/** What tracking a write by a manager that does not apply works on. */
export interface UpdateRecord {
  /** The stored object, in the version of the request; undefined for a create. */
  readonly before: JsonObject | undefined;
  /**
   * The object as the client wants it: decoded and defaulted, but before the server fills in and takes away what is its own business
   * (service IPs, status, what admission adds). Nobody owns those.
   */
  readonly after: JsonObject;
  /** `metadata.managedFields` as it was sent; needed where decoding drops an empty list, which means that all owners are forgotten. */
  readonly sentManagedFields?: Json | undefined;
  readonly manager: string;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** RFC 3339 without fractions. */
  readonly now: string;
  readonly schema: Schema;
  readonly resolve: ResolveSchema;
  /** Whether the kind has a status subresource. */
  readonly hasStatus: boolean;
  /** Whether a version is still served; managers of other versions are dropped. Default: all are served. */
  readonly isServed?: (apiVersion: string) => boolean;
}

/** The object with `metadata.managedFields` saying who set what, after a create, update or patch. */
export function recordUpdate(record: UpdateRecord): JsonObject {
  const owners = ownersBefore(record);
  const after = withoutManagedFields(record.after);
  // An object whose managedFields were removed is not tracked again until the next apply.
  if (owners.size === 0 && record.before !== undefined) return after;
  return withManagedFields(after, ownersAfterUpdate(owners, { ...record, after }));
}

/** The owners after a write that does not apply. */
export function ownersAfterUpdate(owners: Owners, record: UpdateRecord): Owners {
  const { before, after, manager, apiVersion, subresource, now } = record;
  const reset = resetFields({ ...record, kind: textOf(after['kind']) });
  const type = objectType(record.schema, record.resolve);
  const comparison = comparisonOf({
    type,
    before: before === undefined ? createdFrom(record) : withoutManagedFields(before),
    after,
    reset,
  });
  const left = takeFields(currentOwners(owners, type, record.isServed), '', comparison);
  const changed = union(comparison.modified, comparison.added);
  const fields = withoutUntracked(withoutReset(changed, reset));
  if (isEmptySet(fields)) return capUpdaters(left);
  const writer: Owner = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    subresource,
    time: now,
    fields,
  };
  const id = ownerId(writer);
  const previous = left.get(id);
  const merged = previous === undefined ? writer : { ...writer, fields: union(previous.fields, fields) };
  return capUpdaters(new Map(left).set(id, merged));
}

function createdFrom({ after, schema, resolve }: UpdateRecord): JsonObject {
  return { ...zeroObject(schema, resolve), apiVersion: after['apiVersion'] ?? '', kind: after['kind'] ?? '' };
}

/** A client may edit managedFields, reset them with an empty entry, or know nothing of them: then what is stored counts. */
function ownersBefore({ before, after, sentManagedFields, subresource }: UpdateRecord): Owners {
  const stored = managedFieldsOf(before);
  const sent = sentManagedFields === undefined ? managedFieldsOf(after) : sentManagedFields;
  if (subresource !== '') return readOrNone(stored);
  if (isReset(sent)) return new Map();
  const owners = readOrNone(sent);
  return owners.size === 0 ? readOrNone(stored) : owners;
}

function isReset(managedFields: Json | undefined): boolean {
  if (!Array.isArray(managedFields)) return false;
  const [first, ...others] = managedFields;
  if (first === undefined) return true;
  return others.length === 0 && isObject(first) && Object.keys(first).length === 0;
}

function readOrNone(managedFields: Json | undefined): Owners {
  try {
    return readOwners(managedFields);
  } catch (error) {
    if (error instanceof UnreadableOwners) return new Map();
    throw error;
  }
}

function managedFieldsOf(object: JsonObject | undefined): Json | undefined {
  const metadata = object?.['metadata'];
  return isObject(metadata) ? metadata['managedFields'] : undefined;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
