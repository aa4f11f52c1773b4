import { ownValue } from '@manta/base';
import { isObject, type Json, type JsonObject } from '../object/json.ts';

/** A field's text; empty where it is absent. */
export function text(object: JsonObject | undefined, key: string): string {
  const value = ownValue(object, key);
  return typeof value === 'string' ? value : '';
}

/** A field's number; undefined where it is absent. */
export function number(object: JsonObject | undefined, key: string): number | undefined {
  const value = ownValue(object, key);
  return typeof value === 'number' ? value : undefined;
}

/** Whether a field is true. */
export function isTrue(object: JsonObject | undefined, key: string): boolean {
  return ownValue(object, key) === true;
}

/** A field's object; undefined where it is absent. */
export function part(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = ownValue(object, key);
  return isObject(value) ? value : undefined;
}

/** The objects that a field lists; none where it is absent. */
export function parts(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  const value = ownValue(object, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The texts that a field lists; none where it is absent. */
export function texts(object: JsonObject | undefined, key: string): readonly string[] {
  const value = ownValue(object, key);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The entries of a field that is a map of texts. */
export function textEntries(object: JsonObject | undefined, key: string): readonly (readonly [string, string])[] {
  return Object.entries(part(object, key) ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : ''] as const,
  );
}

/** The object with some fields replaced. */
export function withFields(object: JsonObject, fields: JsonObject): JsonObject {
  return { ...object, ...fields };
}

/** The object with fields where they are absent; the very same object where none is. */
export function withDefaults(object: JsonObject, fields: JsonObject): JsonObject {
  const missing = Object.entries(fields).filter(
    ([key]) => ownValue(object, key) === undefined || ownValue(object, key) === null,
  );
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) };
}

/** The object without some of its fields. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** An object's metadata. */
export function metaOf(object: JsonObject): JsonObject {
  return part(object, 'metadata') ?? {};
}

/** Replaces one field by what `change` makes of it, where it is an object. */
export function mapPart(object: JsonObject, key: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const value = part(object, key);
  if (value === undefined) return object;
  const next = change(value);
  return next === value ? object : { ...object, [key]: next };
}

/** Replaces the objects that a field lists by what `change` makes of them. */
export function mapParts(object: JsonObject, key: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const list = ownValue(object, key);
  if (!Array.isArray(list)) return object;
  let isChanged = false;
  const next = list.map((item: Json) => {
    if (!isObject(item)) return item;
    const changed = change(item);
    isChanged ||= changed !== item;
    return changed;
  });
  return isChanged ? { ...object, [key]: next } : object;
}
