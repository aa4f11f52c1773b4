import { isObject, type JsonObject } from '../../object/json.ts';
import { type Owners, writeOwners } from './owners.ts';

/** The object without `metadata.managedFields`; the very same where it has none. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || metadata['managedFields'] === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The object with these owners; without the field where there are none. */
export function withManagedFields(object: JsonObject, owners: Owners): JsonObject {
  if (owners.size === 0) return withoutManagedFields(object);
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return { ...object, metadata: { ...metadata, managedFields: writeOwners(owners) } };
}
