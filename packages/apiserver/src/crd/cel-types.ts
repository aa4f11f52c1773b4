import { ownValue } from '@manta/base';
import type { Schema } from '../object/schema.ts';
import { celName } from './cel-values.ts';

type Scalar = 'bool' | 'bytes' | 'double' | 'duration' | 'int' | 'null' | 'string' | 'timestamp' | 'uint';

/** What is known of a value in a rule before there is one; `dyn` is anything. */
export type CelType =
  | { readonly kind: 'dyn' }
  | { readonly kind: Scalar }
  | { readonly kind: 'list'; readonly items: CelType }
  | { readonly kind: 'map'; readonly values: CelType }
  /** An object of a schema; `isResource`: one with type and metadata of its own. */
  | { readonly kind: 'object'; readonly schema: Schema; readonly isResource: boolean };

export const dyn: CelType = { kind: 'dyn' };
export const bool: CelType = { kind: 'bool' };

/** The type of values that a schema describes; undefined where rules cannot look at them. */
export function typeOfSchema(schema: Schema, isRoot = false): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return dyn;
  switch (schema.type) {
    case 'array':
      return listOf(schema);
    case 'object':
      return objectOf(schema, isRoot);
    case 'string':
      return { kind: ownValue(textKinds, schema.format ?? '') ?? 'string' };
    case 'boolean':
      return bool;
    case 'number':
      return { kind: 'double' };
    case 'integer':
      return { kind: 'int' };
    default:
      return undefined;
  }
}

const textKinds: Readonly<Record<string, Scalar>> = {
  byte: 'bytes',
  date: 'timestamp',
  'date-time': 'timestamp',
  duration: 'duration',
};

function listOf({ items }: Schema): CelType | undefined {
  const type = items === undefined ? undefined : typeOfSchema(items);
  return type === undefined ? undefined : { kind: 'list', items: type };
}

function objectOf(schema: Schema, isRoot: boolean): CelType | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const values = typeOfSchema(additionalProperties);
    return values === undefined ? undefined : { kind: 'map', values };
  }
  return { kind: 'object', schema, isResource: isRoot || schema['x-kubernetes-embedded-resource'] === true };
}

const text: Schema = { type: 'string' };
const metadata: Schema = { type: 'object', properties: { name: text, generateName: text } };
const always: Readonly<Record<string, Schema>> = { apiVersion: text, kind: text, metadata };

/** The type of a field of an object; undefined where it has none of that name. */
export function fieldType({ schema, isResource }: CelType & { kind: 'object' }, name: string): CelType | undefined {
  const properties = isResource ? { ...schema.properties, ...always } : (schema.properties ?? {});
  const found = Object.entries(properties).find(([key]) => celName(key) === name);
  return found === undefined ? undefined : typeOfSchema(found[1]);
}

/** Whether two types can be one; where nothing is known they can. */
export function isSameType(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || b.kind === 'dyn') return true;
  if (a.kind === 'list' && b.kind === 'list') return isSameType(a.items, b.items);
  if (a.kind === 'map' && b.kind === 'map') return isSameType(a.values, b.values);
  if (a.kind === 'null' || b.kind === 'null') return a.kind === b.kind || isComposite(a) || isComposite(b);
  if (isComposite(a) && isComposite(b)) return a.kind === b.kind || a.kind === 'object' || b.kind === 'object';
  return a.kind === b.kind;
}

function isComposite({ kind }: CelType): boolean {
  return kind === 'list' || kind === 'map' || kind === 'object';
}

/** A type as messages write it. */
export function typeName(type: CelType): string {
  if (type.kind === 'list') return `list(${typeName(type.items)})`;
  if (type.kind === 'map') return `map(string, ${typeName(type.values)})`;
  return type.kind;
}
