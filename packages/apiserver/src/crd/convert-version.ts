import type { JsonObject } from '../object/json.ts';
import type { Strategy } from '../registry/strategy.ts';

/** Shows an object in another version of its kind, for CRDs without conversion: relabelled, pruned to that version and filled in. */
export function convertVersion(object: JsonObject, apiVersion: string, strategy: Strategy): JsonObject {
  if (object['apiVersion'] === apiVersion) return object;
  return strategy.applyDefaults(strategy.prune({ ...object, apiVersion }).object);
}
