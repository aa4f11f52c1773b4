import { ownValue } from '@manta/base';
import { deepEqual } from '../object/deep-equal.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { Schema } from '../object/schema.ts';

/** The key of an item in a list of type map. */
export function keyOf(schema: Schema, item: Json): JsonObject {
  const key: Record<string, Json> = {};
  if (!isObject(item)) return key;
  for (const name of schema['x-kubernetes-list-map-keys'] ?? []) {
    const value = ownValue(item, name);
    if (value !== undefined) key[name] = value;
  }
  return key;
}

/** The old item with the same key; only in lists of type map. */
export function findItem(schema: Schema, old: Json | undefined, item: Json): Json | undefined {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old) || !isObject(item)) return undefined;
  const key = keyOf(schema, item);
  return old.find((other) => isObject(other) && deepEqual(keyOf(schema, other), key));
}
