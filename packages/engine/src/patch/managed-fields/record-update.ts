import type { JsonObject } from '../../json.ts';
import type { ResolveSchema, Schema } from '../../schema.ts';

/** What tracking a write by a manager that does not apply works on. */
export interface UpdateRecord {
  /** The stored object, in the version of the request; undefined for a create. */
  readonly before: JsonObject | undefined;
  /** The object that will be stored, complete: defaulted, with what the server fills in. */
  readonly after: JsonObject;
  readonly manager: string;
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly now: string;
  readonly schema: Schema;
  readonly resolve: ResolveSchema;
}

/** The object with `metadata.managedFields` saying who set what, after a create, update or patch. */
export function recordUpdate({ after }: UpdateRecord): JsonObject {
  return after;
}
