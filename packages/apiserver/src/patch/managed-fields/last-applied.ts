import { goJson } from '../../field/go-json.ts';
import { isObject, type Json, type JsonObject } from '../../object/json.ts';
import { compareTyped } from './compare.ts';
import { difference, emptyFieldSet, type FieldSet, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { MergeType } from './merge-type.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Fields that client-side apply set and nobody changed since, according to the annotation that it leaves. kubectl may take those over when
 * it moves to server-side apply, without a conflict.
 */
export function fieldsLastApplied(type: MergeType, live: JsonObject, apiVersion: string): FieldSet {
  const applied = parse(lastAppliedOf(live));
  if (!isObject(applied) || applied['apiVersion'] !== apiVersion) return emptyFieldSet;
  const { removed, modified, added } = compareTyped(type, applied, live);
  return difference(fieldsOf(type, applied), union(union(removed, modified), added));
}

/** The object with the annotation following what kubectl applied server-side; as it is where it has no such annotation. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const metadata = object['metadata'];
  if (lastAppliedOf(object) === undefined || !isObject(metadata) || !isObject(metadata['annotations'])) return object;
  const text = `${goJson(withoutAnnotation(applied))}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata['annotations'], [ANNOTATION]: text } } };
}

function withoutAnnotation(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  if (!isObject(metadata) || !isObject(metadata['annotations'])) return object;
  const { [ANNOTATION]: _, ...annotations } = metadata['annotations'];
  return { ...object, metadata: { ...metadata, annotations } };
}

function lastAppliedOf(object: JsonObject): string | undefined {
  const metadata = object['metadata'];
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const text = isObject(annotations) ? annotations[ANNOTATION] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function parse(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    // JSON.parse gives nothing but JSON values.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
