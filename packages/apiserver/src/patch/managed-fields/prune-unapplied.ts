import { isObject, type Json, type JsonObject } from '../../object/json.ts';
import { difference, emptyFieldSet, type FieldSet, intersection, isEmptySet, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { MergeType } from './merge-type.ts';
import type { Owners } from './owners.ts';
import { removeFields, withNamedFields } from './remove-fields.ts';

/**
 * Removes what the manager applied last time, does not apply any more and nobody else owns. `owners` are those after the apply.
 */
export function pruneUnapplied(type: MergeType, merged: JsonObject, owners: Owners, last: FieldSet): JsonObject {
  if (isEmptySet(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(set, type);
  const all = named(fieldsOf(type, merged));
  const withoutLast = removeFields(type, merged, named(last));
  const owned = [...owners.values()].reduce<FieldSet>((set, { fields }) => union(set, fields), emptyFieldSet);
  const wanted = union(named(fieldsOf(type, withoutLast)), named(owned));
  const kept = removeFields(type, merged, difference(all, wanted));
  // What vanished with its parents without ever having been this manager's stays.
  const gone = difference(all, named(fieldsOf(type, kept)));
  return asObject(removeFields(type, merged, intersection(gone, named(last))));
}

function asObject(value: Json): JsonObject {
  return isObject(value) ? value : {};
}
