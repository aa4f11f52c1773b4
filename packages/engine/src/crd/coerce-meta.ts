import { isObject, type JsonObject } from '../json.ts';
import type { Pruned } from './prune.ts';

const known: ReadonlySet<string> = new Set([
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/** Drops what object metadata does not have. */
export function coerceMeta(object: JsonObject): Pruned {
  const { metadata } = object;
  if (!isObject(metadata)) return { object, dropped: [] };
  const unknown = Object.keys(metadata).filter((key) => !known.has(key));
  if (unknown.length === 0) return { object, dropped: [] };
  const kept = Object.fromEntries(Object.entries(metadata).filter(([key]) => known.has(key)));
  return { object: { ...object, metadata: kept }, dropped: unknown.map((key) => `metadata.${key}`) };
}
