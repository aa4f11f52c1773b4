import type { Json } from '../../object/json.ts';
import { asList, asMap, formOf, narrow, typeAt } from './atom.ts';
import { below, type FieldSet, isEmptySet } from './field-set.ts';
import { tryItemElement } from './list-item.ts';
import type { Atom, ListType, MapType, MergeType } from './merge-type.ts';
import { fieldElement, fieldName, isKey, type PathElement } from './path-element.ts';

/** The value without the fields and items of a set; null where nothing is left of it. */
export function removeFields(type: MergeType, value: Json, set: FieldSet): Json {
  const atom = narrow(type(), value);
  const form = formOf(atom);
  if (form === 'map' && atom.map !== undefined) return removeFromMap(atom.map, value, set);
  if (form === 'list' && atom.list !== undefined) return removeFromList(atom.list, value, set);
  return value;
}

/**
 * The set with every named field added that it has paths below of. Named fields are owned through what is in them only, so removal has to
 * be told of them; keys of maps and items of lists are owned themselves.
 */
export function withNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  const atom = type?.() ?? {};
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [step, inner] of set.children) {
    const name = fieldName(step);
    if (name !== undefined && atom.map?.fields.has(name) === true) members.add(step);
    children.set(step, withNamedFields(inner, typeBelow(atom, step)));
  }
  return { members, children };
}

function typeBelow(atom: Atom, step: PathElement): MergeType | undefined {
  const name = fieldName(step);
  if (name !== undefined) return atom.map === undefined ? undefined : typeAt(atom.map, name);
  return isKey(step) ? atom.list?.item : undefined;
}

function removeFromMap(map: MapType, value: Json, set: FieldSet): Json {
  const entries = Object.entries(asMap(value) ?? {});
  if (map.isAtomic) return null;
  const kept = entries.flatMap(([key, item]): [string, Json][] => {
    const step = fieldElement(key);
    if (set.members.has(step)) return [];
    const inner = below(set, step);
    const type = typeAt(map, key);
    return [[key, isEmptySet(inner) || type === undefined ? item : removeFields(type, item, inner)]];
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function removeFromList(list: ListType, value: Json, set: FieldSet): Json {
  if (list.isAtomic) return null;
  const kept = (asList(value) ?? []).flatMap((item): readonly Json[] => {
    const step = tryItemElement(list, item);
    if (step === undefined) return [item];
    if (set.members.has(step)) return [];
    const inner = below(set, step);
    return [isEmptySet(inner) ? item : removeFields(list.item, item, inner)];
  });
  return kept.length === 0 ? null : kept;
}
