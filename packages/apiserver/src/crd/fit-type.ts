import type { Json } from '../object/json.ts';
import type { Walk } from './fit.ts';
import { heededFormat } from './formats.ts';
import type { SchemaNode } from './node.ts';
import { wrongType } from './schema-errors.ts';

/** Checks the JSON type of a value; the result counts the checks that passed. */
export function fitType({ schema, types, isNullable }: SchemaNode, value: Json, walk: Walk): number {
  if (value === null) {
    if (types.length === 0 || isNullable) return 1;
    walk.errors.push(wrongType(types.join(','), 'null')(walk.path));
    return 0;
  }
  const format = heededFormat(schema.type, schema.format);
  if (types.length === 0 && format === undefined) return 0;
  const found = jsonType(value);
  const isFit = types.includes(found) || (found === 'integer' && types.includes('number'));
  if (isFit) return 2;
  const isText = found === 'string' || found === 'array';
  if (format !== undefined && !isText) walk.errors.push(wrongType(format, goFormat(found))(walk.path));
  else if (format !== undefined && !types.includes('number') && !types.includes('integer')) return 2;
  else walk.errors.push(wrongType(types.join(','), found)(walk.path));
  return 1;
}

/** What JSON calls a value's type, integers apart. */
export function jsonType(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function goFormat(type: string): string {
  if (type === 'integer') return 'int64';
  return type === 'number' ? 'float64' : '';
}
