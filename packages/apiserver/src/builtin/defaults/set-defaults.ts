import type { JsonObject } from '../../object/json.ts';
import { withDefaults } from '../read.ts';

/** Fills in what Go's defaulting function for one type fills in. */
export type SetDefaults = (object: JsonObject) => JsonObject;

/** Fills in fields that always have the same default. */
export function constants(fields: JsonObject): SetDefaults {
  return (object) => withDefaults(object, fields);
}
