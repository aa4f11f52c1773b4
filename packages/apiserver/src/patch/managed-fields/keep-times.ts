import { deepEqual } from '../../object/deep-equal.ts';
import { isObject, type Json, type JsonObject } from '../../object/json.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

/**
 * The stored object itself where a write would change nothing, or nothing but the times in its managedFields, so that such a write is none;
 * otherwise the new object. Called last, when the new object is complete.
 */
export function withoutTimeOnlyChange(stored: JsonObject, written: JsonObject): JsonObject {
  const before = entriesOf(stored);
  const after = entriesOf(written);
  if (before.length !== after.length) return written;
  const isSame =
    after.every((entry, i) => deepEqual(withoutTime(entry), withoutTime(before[i]))) &&
    deepEqual(withoutManagedFields(written), withoutManagedFields(stored));
  return isSame ? stored : written;
}

function entriesOf(object: JsonObject): readonly Json[] {
  const metadata = object['metadata'];
  const entries = isObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(entries) ? entries : [];
}

function withoutTime(entry: Json | undefined): unknown {
  return isObject(entry) ? { ...entry, time: undefined } : entry;
}
