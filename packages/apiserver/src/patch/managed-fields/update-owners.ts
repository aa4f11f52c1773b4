import type { Json } from '../../object/json.ts';
import { type Comparison, compareTyped } from './compare.ts';
import { difference, type FieldSet, intersection, isEmptySet, union } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import type { Owner, Owners } from './owners.ts';
import { withoutReset } from './reset-fields.ts';

/** A write as the owners of fields see it. */
export interface Change {
  readonly type: MergeType;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly reset: FieldSet;
}

/** Fields that the writer changes and that others own. */
export type Conflicts = ReadonlyMap<string, FieldSet>;

/** What the write changes, apart from what the server resets. */
export function comparisonOf({ type, before, after, reset }: Change): Comparison {
  const { removed, modified, added } = compareTyped(type, before, after);
  return {
    removed: withoutReset(removed, reset),
    modified: withoutReset(modified, reset),
    added: withoutReset(added, reset),
  };
}

/** Which owners the write takes fields from. */
export function conflictsOf(owners: Owners, writer: string, { modified, added }: Comparison): Conflicts {
  const changed = union(modified, added);
  const conflicts = new Map<string, FieldSet>();
  for (const [id, owner] of owners) {
    const lost = id === writer ? undefined : intersection(owner.fields, changed);
    if (lost !== undefined && !isEmptySet(lost)) conflicts.set(id, lost);
  }
  return conflicts;
}

/** The owners after a write: other managers lose the fields that it changed or removed; managers without fields are dropped. */
export function takeFields(owners: Owners, writer: string, comparison: Comparison): Owners {
  const taken = union(union(comparison.modified, comparison.added), comparison.removed);
  const left = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const fields = id === writer ? owner.fields : difference(owner.fields, taken);
    if (!isEmptySet(fields)) left.set(id, fields === owner.fields ? owner : { ...owner, fields });
  }
  return left;
}
