import type { Json, JsonObject } from '../object/json.ts';
import { metadataOf, withMetadata } from '../object/metadata.ts';
import type { Scope } from '../requests/request.ts';

/** An applied object as it is shown, and in words what it is stored with besides. */
export interface Shown {
  readonly shown: JsonObject;
  readonly hidden: string;
}

/**
 * Takes from the metadata what an apply has emptied. The real server stores custom resources with it, though it never shows them so: their
 * next write is one even if it changes nothing.
 */
export function withoutHiddenFields({ version }: Scope, merged: JsonObject): Shown {
  const empty = Object.entries(metadataOf(merged)).filter(([key, value]) =>
    version.isBuiltin ? value === null : value === null || isEmptied(key, value),
  );
  if (empty.length === 0) return { shown: merged, hidden: '' };
  const shown = withMetadata(merged, Object.fromEntries(empty.map(([key]) => [key, undefined])));
  return { shown, hidden: version.isBuiltin ? '' : JSON.stringify(empty) };
}

const HIDDEN_IF_EMPTY: readonly string[] = ['annotations', 'labels', 'finalizers', 'ownerReferences'];

function isEmptied(key: string, value: Json): boolean {
  return (
    HIDDEN_IF_EMPTY.includes(key) && typeof value === 'object' && value !== null && Object.keys(value).length === 0
  );
}
