import { ownValue } from '@manta/base';
import { isObject, type Json, type JsonObject } from '../object/json.ts';

/** Reads `a.b.c`; undefined where something on the way is missing. Keys with dots cannot be named. */
export function valueAt(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const key of path.split('.')) {
    if (!isObject(value)) return undefined;
    value = ownValue(value, key);
  }
  return value;
}

/** A copy of the object with `a.b.c` set; objects on the way are made where they are missing. */
export function withValueAt(object: JsonObject, path: string, value: Json): JsonObject {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = ownValue(object, key);
  return { ...object, [key]: withValueAt(isObject(inner) ? inner : {}, rest.join('.'), value) };
}

/** The text at `a.b.c`, or empty. */
export function textAt(object: JsonObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}
