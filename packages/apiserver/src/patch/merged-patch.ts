import { ownValue } from '@manta/base';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { ResolveSchema, Schema } from '../object/schema.ts';
import { fieldSchema, mergeKeyOf, strategyOf } from './strategic-schema.ts';
import { withoutNulls } from './without-nulls.ts';

/**
 * A strategic patch as the server shows it once it has been merged, where what it made is no object of the kind: values that were not
 * there before have lost their nulls.
 */
export function mergedPatch(
  original: JsonObject,
  patch: JsonObject,
  schema: Schema,
  resolve: ResolveSchema,
): JsonObject {
  const entries = Object.entries(patch).map(([key, value]): [string, Json] => {
    const before = Object.hasOwn(original, key) ? original[key] : undefined;
    return [key, value === null ? null : mergedValue(before, value, fieldSchema(schema, key, resolve), resolve)];
  });
  return Object.fromEntries(entries);
}

function mergedValue(before: Json | undefined, value: Json, schema: Schema, resolve: ResolveSchema): Json {
  if (isObject(before) && isObject(value)) {
    return strategyOf(schema) === 'replace' ? value : mergedPatch(before, value, schema, resolve);
  }
  if (!Array.isArray(before) || !Array.isArray(value)) return withoutNulls(value);
  const key = mergeKeyOf(schema);
  if (strategyOf(schema) !== 'merge' || key === '') return value;
  const item = resolve(schema.items ?? {});
  return value.map((each: Json) => {
    if (!isObject(each)) return each;
    const known = before.find((other: Json) => isObject(other) && ownValue(other, key) === ownValue(each, key));
    return isObject(known) ? mergedPatch(known, each, item, resolve) : each;
  });
}
