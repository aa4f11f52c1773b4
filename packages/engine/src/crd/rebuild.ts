import type { Json, JsonObject } from '../json.ts';

/** Says that a key or item is to be left out. */
export const removed: unique symbol = Symbol('removed');

/** Replaces the values of an object by `change`; the very same object where nothing changes. */
export function mapObject(object: JsonObject, change: (value: Json, key: string) => Json | typeof removed): JsonObject {
  let copy: Record<string, Json> | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    const next = change(value, key);
    if (next === value) continue;
    copy ??= { ...object };
    if (next === removed) delete copy[key];
    else copy[key] = next;
  }
  return copy ?? object;
}

/** Replaces the items of a list by `change`; the very same list where nothing changes. */
export function mapList(list: readonly Json[], change: (value: Json, index: number) => Json): readonly Json[] {
  let copy: Json[] | undefined;
  for (const [index, value] of list.entries()) {
    const next = change(value, index);
    if (next === value) continue;
    copy ??= [...list];
    copy[index] = next;
  }
  return copy ?? list;
}
