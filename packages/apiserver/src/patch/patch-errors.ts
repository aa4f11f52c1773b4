import { invalid } from '../field/cause.ts';
import { goJson } from '../field/go-json.ts';
import type { JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import { plain } from './managed-fields/go-value.ts';

/** 400: the patch itself cannot be read. */
export function unreadablePatch(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** 422: the patch can be read but does not fit the object; the server keeps the details to itself. */
export function patchDoesNotApply(): StatusError {
  return new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/**
 * 422: the patch applies, but what it makes is no object of the kind. `detail` is what decoding said. Of JSON and merge patches the server
 * shows the result, of strategic ones the patch.
 */
export function undecodableResult(
  type: 'json' | 'merge' | 'strategic',
  shown: JsonObject,
  detail: string,
): StatusError {
  const cause = invalid('patch', type === 'strategic' ? plain(shown) : goJson(shown), detail);
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${cause.message}`, { causes: [cause] });
}

/** The word that Go's JSON decoder has for a value's type. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

/** What Go's JSON decoder says of a value that does not fit its target. */
export function cannotUnmarshal(value: unknown, target: string): string {
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go ${target}`;
}
