import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { ResolveSchema, Schema } from '../object/schema.ts';
import { plain } from './managed-fields/go-value.ts';
import { cannotUnmarshal, unreadablePatch } from './patch-errors.ts';
import { badFormat, DELETE_FROM, DIRECTIVE, RETAIN_KEYS, SET_ORDER, unknownDirective } from './strategic-directives.ts';
import { fieldSchema, mergeKeyOf, strategyOf } from './strategic-schema.ts';
import { deleteFromList, inElementOrder, type MergeItems, mergeStrategicLists } from './strategic-list.ts';
import { StatusError } from '../status/status-error.ts';
import { withoutNulls } from './without-nulls.ts';

/** Applies a strategic merge patch: lists merge by the keys that the schema names, directives say the rest. */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: unknown,
  schema: Schema,
  resolve: ResolveSchema,
): JsonObject {
  if (patch === null) return document;
  if (!isObject(patch)) throw unreadablePatch(cannotUnmarshal(patch, 'value of type map[string]interface {}'));
  return mergeObjects(document, patch, schema, resolve);
}

function mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema, resolve: ResolveSchema): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) return followDirective(directive, patch);
  const kept = retainKeys(original, patch);
  const { merged, rest } = followElementOrders(kept, patch, schema, resolve);
  const result = new Map(Object.entries(merged));
  for (const [key, value] of Object.entries(rest)) {
    const isDeletion = key.startsWith(DELETE_FROM);
    const name = isDeletion ? nameAfter(key, DELETE_FROM) : key;
    const changed = mergeField(result.get(name), value, isDeletion, fieldSchema(schema, name, resolve), resolve);
    if (changed === undefined) result.delete(name);
    else result.set(name, changed);
  }
  return Object.fromEntries(result);
}

function mergeField(
  original: Json | undefined,
  patch: Json,
  isDeletion: boolean,
  schema: Schema,
  resolve: ResolveSchema,
): Json | undefined {
  if (patch === null) return undefined;
  if (isDeletion) return Array.isArray(original) && Array.isArray(patch) ? deleteFromList(original, patch) : original;
  if (isObject(original) && isObject(patch)) {
    return strategyOf(schema) === 'replace' ? patch : mergeObjects(original, patch, schema, resolve);
  }
  if (Array.isArray(original) && Array.isArray(patch)) return mergeListField(original, patch, schema, resolve);
  return withoutDirectives(withoutNulls(patch));
}

function mergeListField(
  original: readonly Json[],
  patch: readonly Json[],
  schema: Schema,
  resolve: ResolveSchema,
): readonly Json[] {
  if (strategyOf(schema) !== 'merge') return patch;
  return mergeStrategicLists(original, patch, mergeKeyOf(schema), mergeItems(schema, resolve));
}

function mergeItems(list: Schema, resolve: ResolveSchema): MergeItems {
  const item = resolve(list.items ?? {});
  return (original, patch) => mergeObjects(original, patch, item, resolve);
}

function followDirective(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  const { [DIRECTIVE]: _, ...rest } = patch;
  return rest;
}

/** `$retainKeys` clears whatever it does not name; a patch may not set what it does not name. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return original;
  if (!Array.isArray(keys)) throw badFormat('retainKeys');
  const isForeign = ([key, value]: [string, Json]) =>
    key !== RETAIN_KEYS &&
    value !== null &&
    !key.startsWith(DELETE_FROM) &&
    !key.startsWith(SET_ORDER) &&
    !keys.includes(key);
  if (Object.entries(patch).some(isForeign)) throw badFormat('retainKeys');
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

/** Merges the lists for which the patch gives an order; `rest` is what remains to be merged of the patch. */
function followElementOrders(
  original: JsonObject,
  patch: JsonObject,
  schema: Schema,
  resolve: ResolveSchema,
): { readonly merged: JsonObject; readonly rest: JsonObject } {
  const { [RETAIN_KEYS]: _, ...rest } = patch;
  const merged = new Map(Object.entries(original));
  const left = new Map(Object.entries(rest));
  for (const [key, order] of Object.entries(rest)) {
    if (!key.startsWith(SET_ORDER)) continue;
    left.delete(key);
    const name = nameAfter(key, SET_ORDER);
    const list = fieldSchema(schema, name, resolve);
    const was = listOrNothing(merged.get(name));
    const wanted = listOrNothing(left.get(name));
    const inOrder = inElementOrder({
      original: was,
      patch: wanted,
      order: listOrNothing(order) ?? [],
      key: mergeKeyOf(list),
      merge: (a, b) => mergeListField(a, b, list, resolve),
    });
    if (inOrder === undefined) continue;
    merged.set(name, inOrder);
    left.delete(name);
  }
  return { merged: Object.fromEntries(merged), rest: Object.fromEntries(left) };
}

function listOrNothing(value: Json | undefined): readonly Json[] | undefined {
  if (value === undefined || Array.isArray(value)) return value;
  throw new StatusError(500, '', `expected a []interface {}, but received a ${plain(value)}`);
}

function nameAfter(key: string, prefix: string): string {
  if (key.charAt(prefix.length) === '/') return key.slice(prefix.length + 1);
  throw badFormat(prefix === DELETE_FROM ? 'primitive list' : 'setElementOrder list');
}

/** A new value has nothing for directives to work on: what carries one is left out. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.flatMap((item: Json) => keptItem(item));
  if (!isObject(value)) return value;
  if (DIRECTIVE in value) return undefined;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = withoutDirectives(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return Object.fromEntries(entries);
}

function keptItem(item: Json): readonly Json[] {
  const kept = withoutDirectives(item);
  return kept === undefined ? [] : [kept];
}
