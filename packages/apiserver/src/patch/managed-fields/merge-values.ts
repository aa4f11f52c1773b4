import { ownValue } from '@manta/base';
import type { Json } from '../../object/json.ts';
import { asList, asMap, formOf, narrow, typeAt } from './atom.ts';
import { mergeLists } from './merge-lists.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';

/** Puts an applied value over a live one: leaves of the applied win, nothing is removed. Undefined where both are absent. */
export function mergeTyped(type: MergeType, live: Json | undefined, applied: Json | undefined): Json | undefined {
  if (applied === undefined) return live;
  const atom = narrow(type(), applied);
  const form = formOf(atom);
  if (form === 'map' && atom.map !== undefined) return mergeMap(atom.map, live, applied);
  if (form === 'list' && atom.list !== undefined) return mergeList(atom.list, live, applied);
  return applied;
}

function mergeMap(map: MapType, live: Json | undefined, applied: Json): Json | undefined {
  const left = asMap(live) ?? {};
  const right = asMap(applied) ?? {};
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  if (map.isAtomic || keys.length === 0) return applied;
  const merged = keys.flatMap((key): [string, Json][] => {
    const value = mergeTyped(typeAt(map, key) ?? unknownType, ownValue(left, key), ownValue(right, key));
    return value === undefined ? [] : [[key, value]];
  });
  return merged.length === 0 ? undefined : Object.fromEntries(merged);
}

function mergeList(list: ListType, live: Json | undefined, applied: Json): Json | undefined {
  const left = asList(live) ?? [];
  const right = asList(applied) ?? [];
  if (list.isAtomic || left.length + right.length === 0) return applied;
  const merged = mergeLists(list, left, right, (was, is) => mergeTyped(list.item, was, is));
  return merged.length === 0 ? undefined : merged;
}

/** Fields that the schema does not know are left as they are; an applied object with such a field was refused before. */
const unknownType: MergeType = () => ({ scalar: 'untyped' });
