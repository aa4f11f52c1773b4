import type { Json } from '../../json.ts';
import { tryItemElement } from './list-item.ts';
import type { ListType } from './merge-type.ts';
import type { PathElement } from './path-element.ts';

type MergeItem = (live: Json | undefined, applied: Json | undefined) => Json | undefined;

interface Indexed {
  /** In order; an applied list has each once. */
  readonly steps: readonly PathElement[];
  /** The item, or null where several share the step. */
  readonly items: ReadonlyMap<PathElement, Json>;
}

/**
 * Merges two keyed lists or sets. Items that both have keep the order of the applied list; items that only the live list has stay where
 * they are between those.
 */
export function mergeLists(
  list: ListType,
  live: readonly Json[],
  applied: readonly Json[],
  mergeItem: MergeItem,
): readonly Json[] {
  const left = index(list, live);
  const right = index(list, applied);
  const shared = right.steps.filter((step) => left.items.has(step));
  const merged = new Set<PathElement>();
  const out: Json[] = [];
  const push = (value: Json | undefined) => value !== undefined && out.push(value);
  let l = 0;
  let r = 0;
  let next = shared.shift();
  while (l < left.steps.length || r < right.steps.length) {
    const mine = left.steps[l];
    const theirs = right.steps[r];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        merged.add(mine);
        push(mergeItem(left.items.get(mine), right.items.get(mine)));
        l++;
        r++;
        next = shared.shift();
        continue;
      }
      if (right.items.has(mine) && next !== undefined && next !== mine) {
        l++;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!right.items.has(mine)) {
        push(mergeItem(live[l], undefined));
        l++;
        continue;
      }
      if (merged.has(mine)) l++;
    }
    if (theirs !== undefined) {
      merged.add(theirs);
      push(mergeItem(left.items.get(theirs), right.items.get(theirs)));
      r++;
      if (next === theirs) next = shared.shift();
    }
  }
  return out;
}

function index(list: ListType, values: readonly Json[]): Indexed {
  const items = new Map<PathElement, Json>();
  const steps = values.flatMap((value) => {
    const step = tryItemElement(list, value);
    if (step === undefined) return [];
    items.set(step, items.has(step) ? null : value);
    return [step];
  });
  return { steps, items };
}
