import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { cannotUnmarshal, unreadablePatch } from './patch-errors.ts';

/** Applies an RFC 7386 merge patch; throws a StatusError where the patch is no object. */
export function applyMergePatch(document: JsonObject, patch: unknown): JsonObject {
  if (patch === null) throw unreadablePatch('Invalid JSON Patch');
  if (!isObject(patch)) {
    throw unreadablePatch(`error decoding patch: ${cannotUnmarshal(patch, 'value of type map[string]interface {}')}`);
  }
  return mergeObjects(document, patch);
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(current: Json | undefined, patch: Json): Json {
  if (!isObject(current)) return withoutNulls(patch);
  return isObject(patch) ? mergeObjects(current, patch) : patch;
}

/** A new value's nulls mean nothing: there is nothing yet to delete. Items of lists keep their places. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}
