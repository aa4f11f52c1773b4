import { ownValue } from '@manta/base';
import { deepEqual } from '../../object/deep-equal.ts';
import type { Json } from '../../object/json.ts';
import { asList, asMap, formOf, isSameForm, narrow, typeAt } from './atom.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { tryItemElement } from './list-item.ts';
import type { Atom, ListType, MapType, MergeType } from './merge-type.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** What changed between two values; no path is in two of the sets. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

type Side = Json | undefined;

/** Compares two values of a type, leaf by leaf; atomic lists and maps are leaves. */
export function compareTyped(type: MergeType, before: Side, after: Side): Comparison {
  const walk = new CompareWalk();
  walk.compare(type, before, after);
  return walk;
}

class CompareWalk implements Comparison {
  readonly removed = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly added = new FieldSetBuilder();
  private readonly path: PathElement[] = [];

  compare(type: MergeType, before: Side, after: Side): void {
    if (before === after) return;
    const atom = type();
    const left = narrow(atom, before);
    const right = narrow(atom, after);
    if (before !== undefined && after !== undefined && !isSameForm(left, right)) this.walk(left, before, after);
    const isLeaf = this.walk(after === undefined ? left : right, before, after);
    if (isLeaf) return;
    if (before === undefined) this.added.add(this.path);
    else if (after === undefined) this.removed.add(this.path);
  }

  /** Compares in one form; says whether the value was a leaf. */
  private walk(atom: Atom, before: Side, after: Side): boolean {
    const form = formOf(atom);
    if (form === 'map' && atom.map !== undefined) return this.walkMap(atom.map, before, after);
    if (form === 'list' && atom.list !== undefined) return this.walkList(atom.list, before, after);
    return this.leaf(before, after);
  }

  private leaf(before: Side, after: Side): boolean {
    if (before === undefined) this.added.add(this.path);
    else if (after === undefined) this.removed.add(this.path);
    else if (!deepEqual(before, after)) this.modified.add(this.path);
    return true;
  }

  private walkMap(map: MapType, before: Side, after: Side): boolean {
    const left = asMap(before) ?? {};
    const right = asMap(after) ?? {};
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    if (map.isAtomic || keys.size === 0) return this.leaf(before, after);
    for (const key of keys) {
      const type = typeAt(map, key);
      if (type !== undefined) this.descend(fieldElement(key), type, ownValue(left, key), ownValue(right, key));
    }
    return false;
  }

  private walkList(list: ListType, before: Side, after: Side): boolean {
    const left = asList(before) ?? [];
    const right = asList(after) ?? [];
    if (list.isAtomic || left.length + right.length === 0) return this.leaf(before, after);
    const was = itemsByElement(list, left);
    const is = itemsByElement(list, right);
    for (const step of new Set([...was.keys(), ...is.keys()])) {
      this.compareItems(list, step, was.get(step) ?? [], is.get(step) ?? []);
    }
    return false;
  }

  /** Items with the same key count as one leaf, with one owner. */
  private compareItems(list: ListType, step: PathElement, was: readonly Json[], is: readonly Json[]): void {
    if (was.length <= 1 && is.length <= 1) return this.descend(step, list.item, was[0], is[0]);
    const path = [...this.path, step];
    if (was.length >= 2 && is.length >= 2) {
      if (!deepEqual(was, is)) this.modified.add(path);
    } else if (was.length >= 2) {
      if (is.length > 0) this.descend(step, list.item, undefined, is[0]);
      this.removed.add(path);
    } else {
      if (was.length > 0) this.descend(step, list.item, was[0], undefined);
      this.added.add(path);
    }
  }

  private descend(step: PathElement, type: MergeType, before: Side, after: Side): void {
    this.path.push(step);
    this.compare(type, before, after);
    this.path.pop();
  }
}

function itemsByElement(list: ListType, items: readonly Json[]): ReadonlyMap<PathElement, readonly Json[]> {
  const known = new Map<PathElement, Json[]>();
  for (const item of items) {
    const step = tryItemElement(list, item);
    if (step === undefined) continue;
    const same = known.get(step);
    if (same === undefined) known.set(step, [item]);
    else same.push(item);
  }
  return known;
}
