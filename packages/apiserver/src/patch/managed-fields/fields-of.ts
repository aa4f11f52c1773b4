import type { Json } from '../../object/json.ts';
import { asList, asMap, formOf, narrow, typeAt } from './atom.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { tryItemElement } from './list-item.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** Every leaf and item in a value: the fields that its applier owns. */
export function fieldsOf(type: MergeType, value: Json): FieldSet {
  const set = new FieldSetBuilder();
  collect(set, [], type, value);
  return set;
}

function collect(set: FieldSetBuilder, path: readonly PathElement[], type: MergeType, value: Json): void {
  const atom = narrow(type(), value);
  const form = formOf(atom);
  if (form === 'map' && atom.map !== undefined) collectMap(set, path, atom.map, value);
  else if (form === 'list' && atom.list !== undefined) collectList(set, path, atom.list, value);
  else set.add(path);
}

function collectMap(set: FieldSetBuilder, path: readonly PathElement[], map: MapType, value: Json): void {
  if (map.isAtomic) return set.add(path);
  for (const [key, item] of Object.entries(asMap(value) ?? {})) {
    const at = [...path, fieldElement(key)];
    const type = typeAt(map, key);
    if (type !== undefined) collect(set, at, type, item);
    const isBare = item === null || isEmptyMap(item);
    if (isBare || !map.fields.has(key)) set.add(at);
  }
}

function collectList(set: FieldSetBuilder, path: readonly PathElement[], list: ListType, value: Json): void {
  if (list.isAtomic) return set.add(path);
  const items = (asList(value) ?? []).map((item) => [tryItemElement(list, item), item] as const);
  for (const [step, item] of items) {
    if (step === undefined) continue;
    const isAlone = items.filter(([other]) => other === step).length === 1;
    if (isAlone) collect(set, [...path, step], list.item, item);
    set.add([...path, step]);
  }
}

function isEmptyMap(value: Json): boolean {
  const map = asMap(value);
  return map !== undefined && Object.keys(map).length === 0;
}
