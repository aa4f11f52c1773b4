import { ownValue } from '@manta/base';
import { isObject, type Json, type JsonObject } from './json.ts';

/** The metadata of an object that may still lack it. */
export function metadataOf(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  return isObject(metadata) ? metadata : {};
}

/** A text of the metadata, empty where it is missing. */
export function metaText(object: JsonObject, key: string): string {
  const value = ownValue(metadataOf(object), key);
  return typeof value === 'string' ? value : '';
}

/** A copy with changed metadata; a key whose value is undefined is removed. */
export function withMetadata(object: JsonObject, changes: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept = Object.entries({ ...metadataOf(object), ...changes }).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  );
  return { ...object, metadata: Object.fromEntries(kept) };
}

/** The labels of an object. */
export function labelsOf(object: { readonly metadata?: unknown }): Readonly<Record<string, string>> {
  const metadata = object.metadata;
  const labels = isObject(metadata) ? metadata['labels'] : undefined;
  if (!isObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The finalizers of an object. */
export function finalizersOf(object: JsonObject): readonly string[] {
  const finalizers = metadataOf(object)['finalizers'];
  return Array.isArray(finalizers) ? finalizers.filter((name): name is string => typeof name === 'string') : [];
}
