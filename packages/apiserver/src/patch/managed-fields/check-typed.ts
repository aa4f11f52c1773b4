import { isObject, type Json } from '../../object/json.ts';
import { asList, asMap, formOf, narrow, typeAt } from './atom.ts';
import { goSyntax, goType, goValue } from './go-value.ts';
import { itemElement, NoKey } from './list-item.ts';
import type { ListType, MapType, MergeType, Scalar } from './merge-type.ts';
import { elementText, fieldElement } from './path-element.ts';

/** What does not fit the schema, one line each, as server-side apply words it; applied objects may not have duplicate items either. */
export function typeErrors(type: MergeType, value: Json, path = ''): readonly string[] {
  const atom = narrow(type(), value);
  const form = formOf(atom);
  if (form === 'map' && atom.map !== undefined) return mapErrors(atom.map, value, path);
  if (form === 'list' && atom.list !== undefined) return listErrors(atom.list, value, path);
  const wrong = atom.scalar === undefined ? undefined : scalarError(atom.scalar, value);
  return wrong === undefined ? [] : [at(path, wrong)];
}

/** Errors as one message. */
export function joinTypeErrors(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

function at(path: string, message: string): string {
  return path === '' ? message : `${path}: ${message}`;
}

function mapErrors(map: MapType, value: Json, path: string): readonly string[] {
  const entries = asMap(value);
  if (entries === undefined) return value === null ? [] : [at(path, `expected map, got ${goValue(value)}`)];
  const errors: string[] = [];
  for (const [key, item] of Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const type = typeAt(map, key);
    const inner = `${path}${elementText(fieldElement(key))}`;
    if (type === undefined) return [...errors, at(inner, 'field not declared in schema')];
    errors.push(...typeErrors(type, item, inner));
  }
  return errors;
}

function listErrors(list: ListType, value: Json, path: string): readonly string[] {
  const items = asList(value);
  if (items === undefined) return value === null ? [] : [at(path, `expected list, got ${goValue(value)}`)];
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const step = list.isAtomic ? `i:${i}` : tryStep(list, item);
    if (step instanceof NoKey) return [...errors, at(path, `element ${i}: ${step.message}`)];
    if (seen.has(step)) errors.push(at(path, `duplicate entries for key ${elementText(step)}`));
    seen.add(step);
    errors.push(...typeErrors(list.item, item, `${path}${elementText(step)}`));
  }
  return errors;
}

function tryStep(list: ListType, item: Json): string | NoKey {
  try {
    return itemElement(list, item);
  } catch (error) {
    if (error instanceof NoKey) return error;
    throw error;
  }
}

function scalarError(scalar: Scalar, value: Json): string | undefined {
  if (value === null) return undefined;
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${goValue(value)}`;
    case 'untyped':
      return Array.isArray(value) || isObject(value) ? `expected any scalar, got ${goValue(value)}` : undefined;
  }
}
