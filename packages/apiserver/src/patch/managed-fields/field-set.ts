import { type PathElement, sortPathElements } from './path-element.ts';

/** A set of field paths as a tree. A path is in the set where its last step is a member; having children does not imply that. */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

/** The set without any path. */
export const emptyFieldSet: FieldSet = { members: new Set(), children: new Map() };

/** Collects paths one by one. */
export class FieldSetBuilder implements FieldSet {
  readonly members = new Set<PathElement>();
  readonly children = new Map<PathElement, FieldSetBuilder>();

  /** Adds the part of a path that begins at `at`; the empty path is the whole object, which has no owner. */
  add(path: readonly PathElement[], at = 0): void {
    const step = path[at];
    if (step === undefined) return;
    if (at === path.length - 1) this.members.add(step);
    else this.child(step).add(path, at + 1);
  }

  private child(step: PathElement): FieldSetBuilder {
    const known = this.children.get(step);
    if (known !== undefined) return known;
    const created = new FieldSetBuilder();
    this.children.set(step, created);
    return created;
  }
}

/** A set of the given paths. */
export function fieldSet(...paths: readonly (readonly PathElement[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.add(path);
  return builder;
}

/** Whether the set has no path. */
export function isEmptySet(set: FieldSet): boolean {
  if (set.members.size > 0) return false;
  for (const child of set.children.values()) if (!isEmptySet(child)) return false;
  return true;
}

/** Whether the path is in the set. */
export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  const last = path.at(-1);
  if (last === undefined) return false;
  let at: FieldSet | undefined = set;
  for (const step of path.slice(0, -1)) at = at?.children.get(step);
  return at?.members.has(last) ?? false;
}

/** The paths below one step, without it. */
export function below(set: FieldSet, step: PathElement): FieldSet {
  return set.children.get(step) ?? emptyFieldSet;
}

/** Paths that are in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const children = new Map(a.children);
  for (const [step, set] of b.children) {
    const known = children.get(step);
    children.set(step, known === undefined ? set : union(known, set));
  }
  return { members: a.members.union(b.members), children };
}

/** Paths that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return {
    members: a.members.intersection(b.members),
    children: mapChildren(a, (step, set) => {
      const other = b.children.get(step);
      return other === undefined ? undefined : intersection(set, other);
    }),
  };
}

/** Paths of the first set that are not in the second; the first set itself where that changes nothing. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a;
  const members = a.members.difference(b.members);
  const children = mapChildren(a, (step, set) => {
    const other = b.children.get(step);
    return other === undefined ? set : difference(set, other);
  });
  const isSame =
    members.size === a.members.size &&
    children.size === a.children.size &&
    [...children].every(([step, set]) => a.children.get(step) === set);
  return isSame ? a : { members, children };
}

/** Paths of the first set that are neither in the second nor below one of its paths. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a) || isEmptySet(b)) return a;
  return {
    members: a.members.difference(b.members),
    children: mapChildren(a, (step, set) => {
      if (b.members.has(step)) return undefined;
      const other = b.children.get(step);
      return other === undefined ? set : differenceBelow(set, other);
    }),
  };
}

/** Every path, in the order in which the server lists them. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): readonly (readonly PathElement[])[] {
  const members = sortPathElements(set.members).map((step) => [...prefix, step]);
  const children = sortPathElements(set.children.keys());
  return [...members, ...children.flatMap((step) => pathsOf(below(set, step), [...prefix, step]))];
}

function mapChildren(
  set: FieldSet,
  change: (step: PathElement, child: FieldSet) => FieldSet | undefined,
): ReadonlyMap<PathElement, FieldSet> {
  const children = new Map<PathElement, FieldSet>();
  for (const [step, child] of set.children) {
    const changed = change(step, child);
    if (changed !== undefined && !isEmptySet(changed)) children.set(step, changed);
  }
  return children;
}
