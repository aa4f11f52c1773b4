import type { Json } from '../../object/json.ts';
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
  return new ListMerge(live, index(list, live), index(list, applied), mergeItem).run();
}

/** Walks both lists at once; `l` and `r` are the places in the live and in the applied one. */
class ListMerge {
  private readonly live: readonly Json[];
  private readonly left: Indexed;
  private readonly right: Indexed;
  private readonly mergeItem: MergeItem;
  /** Items of both lists that are still to come, in the order of the applied one. */
  private readonly shared: PathElement[];
  private readonly merged = new Set<PathElement>();
  private readonly out: Json[] = [];
  private l = 0;
  private r = 0;

  constructor(live: readonly Json[], left: Indexed, right: Indexed, mergeItem: MergeItem) {
    this.live = live;
    this.left = left;
    this.right = right;
    this.mergeItem = mergeItem;
    this.shared = right.steps.filter((step) => left.items.has(step));
  }

  run(): readonly Json[] {
    while (this.l < this.left.steps.length || this.r < this.right.steps.length) {
      this.advance(this.left.steps[this.l], this.right.steps[this.r]);
    }
    return this.out;
  }

  private advance(mine: PathElement | undefined, theirs: PathElement | undefined): void {
    if (mine !== undefined && mine === theirs) {
      this.l++;
      return this.takeApplied(theirs);
    }
    if (mine !== undefined) {
      const isShared = this.right.items.has(mine);
      if (!isShared) return this.takeLive();
      const [next] = this.shared;
      // Its turn comes with the applied list, or has come already.
      if (theirs !== undefined && next !== undefined && next !== mine) {
        this.l++;
        return;
      }
      if (this.merged.has(mine)) this.l++;
    }
    if (theirs !== undefined) this.takeApplied(theirs);
  }

  private takeLive(): void {
    this.push(this.mergeItem(this.live[this.l], undefined));
    this.l++;
  }

  private takeApplied(step: PathElement): void {
    this.merged.add(step);
    this.push(this.mergeItem(this.left.items.get(step), this.right.items.get(step)));
    this.r++;
    if (this.shared[0] === step) this.shared.shift();
  }

  private push(value: Json | undefined): void {
    if (value !== undefined) this.out.push(value);
  }
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
