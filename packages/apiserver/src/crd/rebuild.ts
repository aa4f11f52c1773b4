import type { Json, JsonObject } from '../object/json.ts';

/** Says that a key or item is to be left out. */
export const removed: unique symbol = Symbol('removed');

/** Replaces the values of an object by `change`; the very same object where nothing changes. */
export function mapObject(object: JsonObject, change: (value: Json, key: string) => Json | typeof removed): JsonObject {
  let isChanged = false;
  const kept: [string, Json][] = [];
  for (const [key, value] of Object.entries(object)) {
    const next = change(value, key);
    if (next !== value) isChanged = true;
    if (next !== removed) kept.push([key, next]);
  }
  return isChanged ? Object.fromEntries(kept) : object;
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
