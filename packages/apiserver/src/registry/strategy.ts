import type { Time } from '@manta/api';
import type { JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';

/**
 * What one version of a resource adds to the generic verbs: how its objects are cleaned, filled in and checked. Every function is pure
 * and returns a new object where it changes something.
 */
export interface Strategy {
  /** Removes what the schema does not know; `dropped` are the paths, for `fieldValidation`. */
  prune(object: JsonObject): { readonly object: JsonObject; readonly dropped: readonly string[] };
  /** What is wrong first with an object that cannot be read, where it is converted rather than read from a document. */
  conversionError?(object: JsonObject): string | undefined;
  applyDefaults(object: JsonObject): JsonObject;
  /** Fills in defaults of an object that was read before; kinds that read what is applied once more have no need of it. */
  fillDefaults?(object: JsonObject): JsonObject;
  /** Clears what a creator may not set and sets what the server decides. */
  prepareForCreate(object: JsonObject, now: Time): JsonObject;
  /** Carries over what an update (of this subresource; empty: the object itself) may not change. */
  prepareForUpdate(object: JsonObject, old: JsonObject, subresource: string, now: Time): JsonObject;
  validateCreate(object: JsonObject): readonly FieldCause[];
  validateUpdate(object: JsonObject, old: JsonObject, subresource: string): readonly FieldCause[];
  /** Things worth telling the client that are no errors; sent as Warning headers. */
  warnings?(object: JsonObject, old: JsonObject | undefined): readonly string[];
}

/** A strategy that accepts everything as it is. */
export const permissiveStrategy: Strategy = {
  prune: (object) => ({ object, dropped: [] }),
  applyDefaults: (object) => object,
  prepareForCreate: (object) => object,
  prepareForUpdate: (object) => object,
  validateCreate: () => [],
  validateUpdate: () => [],
};
