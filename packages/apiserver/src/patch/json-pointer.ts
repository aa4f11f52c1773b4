import { isObject, type Json } from '../object/json.ts';

/** A value's place: the keys to walk from the document's root. Undefined where the text is no pointer at all. */
export function parsePointer(text: string): readonly string[] | undefined {
  // The server ignores whatever stands before the first slash.
  const [, ...parts] = text.split('/');
  return parts.length === 0 ? undefined : parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Thrown where a pointer leads nowhere. */
export class NoSuchPlace extends Error {}

/** The value at a key of an object or list. Objects give undefined for a key they don't have, lists refuse. */
export function child(container: Json, key: string): Json | undefined {
  if (isObject(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  if (!isList(container)) throw new NoSuchPlace();
  return container[existingIndex(container, key)];
}

/** Rebuilds the document with the object or list that holds the pointer's last key replaced by what `change` makes of it. */
export function changeContainer(
  document: Json,
  pointer: readonly string[],
  change: (container: Json, key: string) => Json,
): Json {
  const [key, ...rest] = pointer;
  if (key === undefined) throw new NoSuchPlace();
  if (rest.length === 0) return change(document, key);
  const inner = child(document, key);
  if (inner === undefined || inner === null) throw new NoSuchPlace();
  return withChild(document, key, changeContainer(inner, rest, change));
}

/** The value that a pointer names; undefined where the object that would hold it does not have it. */
export function valueAt(document: Json, pointer: readonly string[]): Json | undefined {
  let found: Json | undefined;
  changeContainer(document, pointer, (container, key) => {
    found = child(container, key);
    return container;
  });
  return found;
}

/** Replaces the value at a key: of an object, also where it has no such key yet; of a list, only where it has. */
export function withChild(container: Json, key: string, value: Json): Json {
  if (isObject(container)) return { ...container, [key]: value };
  if (!isList(container)) throw new NoSuchPlace();
  return container.with(existingIndex(container, key), value);
}

/** Adds a value: sets an object's key, inserts into a list before an index or, for `-`, at its end. */
export function withInserted(container: Json, key: string, value: Json): Json {
  if (isObject(container)) return { ...container, [key]: value };
  if (!isList(container)) throw new NoSuchPlace();
  if (key === '-') return [...container, value];
  return container.toSpliced(indexWithin(key, container.length + 1), 0, value);
}

/** Removes a key that must exist. */
export function withoutChild(container: Json, key: string): Json {
  if (isObject(container)) {
    if (!Object.hasOwn(container, key)) throw new NoSuchPlace();
    const { [key]: _, ...rest } = container;
    return rest;
  }
  if (!isList(container)) throw new NoSuchPlace();
  return container.toSpliced(existingIndex(container, key), 1);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function existingIndex(list: readonly Json[], key: string): number {
  return indexWithin(key, list.length);
}

/** Indexes may be negative, counting from the end, as the server allows. */
function indexWithin(key: string, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw new NoSuchPlace();
  const index = Number(key);
  const at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) throw new NoSuchPlace();
  return at;
}
