import { ownValue } from '@manta/base';
import { isObject, type Json } from '../../object/json.ts';
import type { ListType } from './merge-type.ts';
import { keyElement, type PathElement, valueElement } from './path-element.ts';

/** Thrown for an item without a unique key. */
export class NoKey extends Error {}

/** The step that picks this item of a keyed list or a set. Throws NoKey. */
export function itemElement(list: ListType, item: Json): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

/** Like itemElement; undefined for an item without a unique key. */
export function tryItemElement(list: ListType, item: Json): PathElement | undefined {
  try {
    return itemElement(list, item);
  } catch {
    return undefined;
  }
}

function keyedElement(list: ListType, item: Json): PathElement {
  if (item === null) throw new NoKey('associative list with keys may not have a null element');
  if (!isObject(item)) throw new NoKey('associative list with keys may not have non-map elements');
  const fields = list.item().map?.fields;
  const keys = list.keys.flatMap((name): [string, Json][] => {
    const value = ownValue(item, name) ?? fields?.get(name)?.default;
    return value === undefined || value === null ? [] : [[name, value]];
  });
  if (keys.length > 0) return keyElement(Object.fromEntries(keys));
  const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
  throw new NoKey(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function setElement(item: Json): PathElement {
  if (item === null) throw new NoKey("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new NoKey('not supported: associative list with lists as elements');
  if (isObject(item)) throw new NoKey("associative list without keys has an element that's a map type");
  return valueElement(item);
}
