import { formOf, typeAt } from './atom.ts';
import type { FieldSet } from './field-set.ts';
import { type Atom, deducedType, type MergeType } from './merge-type.ts';
import type { Owners } from './owners.ts';
import { fieldName, type PathElement } from './path-element.ts';

/**
 * The owners as they are in the schema of today: versions that are served no more are forgotten, and who owned parts of what has become
 * atomic since owns the whole.
 */
export function currentOwners(
  owners: Owners,
  type: MergeType,
  isServed: ((apiVersion: string) => boolean) | undefined,
): Owners {
  const served = [...owners].filter(([, { apiVersion }]) => isServed?.(apiVersion) ?? true);
  return new Map(served.map(([id, owner]) => [id, { ...owner, fields: fitToType(owner.fields, type) }]));
}

/** Sets that are known to fit a type. */
const fitting = new WeakMap<FieldSet, Atom>();

function fitToType(set: FieldSet, type: MergeType): FieldSet {
  const atom = type();
  if (fitting.get(set) === atom) return set;
  const fitted = fit(set, atom);
  fitting.set(fitted, atom);
  return fitted;
}

function fit(set: FieldSet, atom: Atom): FieldSet {
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [step, child] of set.children) {
    const inner = typeBelow(atom, step);
    if (inner !== undefined && isAtomic(inner())) members.add(step);
    else children.set(step, inner === undefined ? child : fit(child, inner()));
  }
  const isSame =
    members.size === set.members.size &&
    children.size === set.children.size &&
    [...children].every(([step, child]) => set.children.get(step) === child);
  return isSame ? set : { members, children };
}

function typeBelow(atom: Atom, step: PathElement): MergeType | undefined {
  const name = fieldName(step);
  if (name === undefined) return formOf(atom) === 'list' ? atom.list?.item : undefined;
  return atom.map === undefined || atom.map.rest === deducedType ? ownField(atom, name) : typeAt(atom.map, name);
}

/** Values without a schema say nothing of atomic parts. */
function ownField(atom: Atom, name: string): MergeType | undefined {
  return atom.map?.fields.get(name)?.type;
}

function isAtomic(atom: Atom): boolean {
  return (formOf(atom) === 'map' ? atom.map?.isAtomic : formOf(atom) === 'list' && atom.list?.isAtomic) ?? false;
}
