import type { Json, JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import { plain } from './managed-fields/go-value.ts';
import { unreadablePatch } from './patch-errors.ts';

/** Says what to do with the object or list item that holds it: `replace` or `delete`. */
export const DIRECTIVE = '$patch';
/** Names the only fields that are to stay. */
export const RETAIN_KEYS = '$retainKeys';
/** Followed by `/` and a list's name: values to take out of it. */
export const DELETE_FROM = '$deleteFromPrimitiveList';
/** Followed by `/` and a list's name: the order of its items. */
export const SET_ORDER = '$setElementOrder';

/** 400: a directive does not have the form that it must have. */
export function badFormat(what: 'primitive list' | 'retainKeys' | 'setElementOrder list'): StatusError {
  return unreadablePatch(`invalid patch format of ${what}`);
}

/** The server has no code for what else is wrong with a strategic patch: it answers 500. */
export function cannotMerge(message: string): StatusError {
  return new StatusError(500, '', message);
}

/** A `$patch` that says something unheard of. */
export function unknownDirective(directive: Json, patch: JsonObject): StatusError {
  return cannotMerge(`unknown patch type: ${plain(directive)} in map: ${plain(patch)}`);
}

/** An item of a keyed list without its key. */
export function missingMergeKey(item: JsonObject, key: string): StatusError {
  return cannotMerge(`map: ${plain(item)} does not contain declared merge key: ${key}`);
}
