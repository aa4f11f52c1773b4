import { ownValue } from '@manta/base';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { goType, plain } from './managed-fields/go-value.ts';
import { patchDoesNotApply } from './patch-errors.ts';
import { badFormat, cannotMerge, DIRECTIVE, missingMergeKey, unknownDirective } from './strategic-directives.ts';

/** Merges two items that share a key. */
export type MergeItems = (original: JsonObject, patch: JsonObject) => JsonObject;

/** Merges two lists: objects by their key, other values as a set. The patch's order counts, then the original's. */
export function mergeStrategicLists(
  original: readonly Json[],
  patch: readonly Json[],
  key: string,
  mergeItems: MergeItems,
): readonly Json[] {
  if (original.length + patch.length === 0) return original;
  const isOfObjects = elementType(original, patch) === goType({});
  if (!isOfObjects) {
    const wanted = unique(patch);
    return interleave(
      unique(original).filter((item) => !wanted.includes(item)),
      wanted,
      original,
      (item) => item,
    );
  }
  if (key === '') throw cannotMerge('cannot merge lists without merge key for struct');
  const special = followItemDirectives(original.filter(isObject), patch.filter(isObject), key);
  const merged = mergeByKey(special.original, special.patch, key, mergeItems);
  const wanted = special.patch.map((item) => ownValue(item, key));
  const ordered = merged.filter((item) => wanted.includes(keyOf(item, key)));
  const others = merged.filter((item) => !wanted.includes(keyOf(item, key)));
  const byPatch = ordered.toSorted((a, b) => wanted.indexOf(ownValue(a, key)) - wanted.indexOf(ownValue(b, key)));
  return interleave(others, byPatch, special.original, (item) => (isObject(item) ? ownValue(item, key) : undefined));
}

/** The list without the given values. */
export function deleteFromList(original: readonly Json[], values: readonly Json[]): readonly Json[] {
  return original.filter((item) => !values.includes(item));
}

/** A list for which the patch gives an order. */
export interface OrderedList {
  readonly original: readonly Json[] | undefined;
  readonly patch: readonly Json[] | undefined;
  readonly order: readonly Json[];
  /** Empty for lists of plain values. */
  readonly key: string;
  readonly merge: (original: readonly Json[], patch: readonly Json[]) => readonly Json[];
}

/** The list in the order that `$setElementOrder` gives; undefined where there is no such list. */
export function inElementOrder({ original, patch, order, key, merge }: OrderedList): readonly Json[] | undefined {
  if (patch !== undefined) checkOrder(patch, order, key);
  const items = mergedItems(original, patch, merge);
  if (items === undefined) return undefined;
  elementType(original ?? [], patch ?? []);
  const identity = (item: Json | undefined) => (key !== '' && isObject(item) ? keyOf(item, key) : item);
  const wanted = order.map(identity);
  const ordered = items.filter((item) => wanted.includes(identity(item)));
  const others = items.filter((item) => !wanted.includes(identity(item)));
  const byOrder = ordered.toSorted((a, b) => wanted.indexOf(identity(a)) - wanted.indexOf(identity(b)));
  return interleave(others, byOrder, original ?? [], identity);
}

function mergedItems(
  original: readonly Json[] | undefined,
  patch: readonly Json[] | undefined,
  merge: OrderedList['merge'],
): readonly Json[] | undefined {
  if (original === undefined) return patch?.filter((item) => !isDirective(item));
  return patch === undefined ? original : merge(original, patch);
}

/** The patch's items must come in the order given, and all of them must be in it; those that are deleted don't count. */
function checkOrder(patch: readonly Json[], order: readonly Json[], key: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = patch.filter((item) => !isDirective(item));
  let next = 0;
  for (const entry of order) {
    const item = items[next];
    if (item === undefined) return;
    if (key === '' ? item === entry : keyOf(item, key) === keyOf(entry, key)) next++;
  }
  if (next >= items.length) return;
  throw cannotMerge(
    `The order in patch list:\n${plain(patch)}\n doesn't match $setElementOrder list:\n${plain(order)}\n`,
  );
}

function followItemDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  key: string,
): { readonly original: readonly JsonObject[]; readonly patch: readonly JsonObject[] } {
  const plainItems = patch.filter((item) => !isDirective(item));
  let left = original;
  let isReplaced = false;
  for (const item of patch.filter(isDirective)) {
    const directive = item[DIRECTIVE] ?? null;
    if (directive === 'replace') isReplaced = true;
    else if (directive === 'delete') {
      const value = keyOf(item, key);
      left = left.filter((each) => ownValue(each, key) !== value);
    } else if (directive === 'merge') throw cannotMerge('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
  }
  return isReplaced ? { original: plainItems, patch: [] } : { original: left, patch: plainItems };
}

function mergeByKey(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  key: string,
  mergeItems: MergeItems,
): readonly JsonObject[] {
  const merged = [...original];
  for (const item of patch) {
    const value = keyOf(item, key);
    const at = merged.findIndex((each) => ownValue(each, key) === value);
    const known = merged[at];
    if (known === undefined) merged.push(item);
    else merged[at] = mergeItems(known, item);
  }
  return merged;
}

/** Puts the server's own items between those of the patch, before whatever they were before in the original. */
function interleave(
  others: readonly Json[],
  wanted: readonly Json[],
  original: readonly Json[],
  identity: (item: Json) => Json | undefined,
): readonly Json[] {
  const places = original.map(identity);
  const placeOf = (item: Json) => places.indexOf(identity(item));
  const out: Json[] = [];
  let next = 0;
  for (const item of wanted) {
    for (
      let other = others[next];
      other !== undefined && isBefore(placeOf(other), placeOf(item));
      other = others[next]
    ) {
      out.push(other);
      next++;
    }
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

function isBefore(a: number, b: number): boolean {
  return a >= 0 && b >= 0 && a < b;
}

/** All items must be of one type, and none a list. */
function elementType(...lists: readonly (readonly Json[])[]): string {
  const types = new Set(lists.flat(1).map(goType));
  const [type, ...others] = types;
  if (type === undefined) throw cannotMerge('no elements in any of the given slices');
  if (type === goType([])) throw patchDoesNotApply();
  if (others.length > 0) throw cannotMerge(`list element types are not identical: ${plain(lists)}`);
  return type;
}

function keyOf(item: Json, key: string): Json {
  if (!isObject(item)) throw badFormat('setElementOrder list');
  const value = ownValue(item, key);
  if (value === undefined) throw missingMergeKey(item, key);
  return value;
}

function isDirective(item: Json): boolean {
  return isObject(item) && DIRECTIVE in item;
}

function unique(items: readonly Json[]): readonly Json[] {
  return [...new Set(items)];
}
