import { parse } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../object/json.ts';
import { childNode, type SchemaNode } from './node.ts';

const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** A property's name as CEL expressions write it. */
export function celName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

const readDuration = parse('duration(text)');

/** Turns a JSON value into what CEL computes with: integers, times, durations and bytes as its schema says. */
export function celValue(value: Json, node: SchemaNode | undefined): unknown {
  if (typeof value === 'number') {
    return Number.isInteger(value) && node?.schema.type !== 'number' ? BigInt(value) : value;
  }
  if (typeof value === 'string') return celText(value, node?.schema.format);
  if (Array.isArray(value)) return value.map((item) => celValue(item, node?.items));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const isProperty = node?.properties.has(key) === true;
      return [isProperty ? celName(key) : key, celValue(child, childNode(node, key))];
    }),
  );
}

function celText(text: string, format: string | undefined): unknown {
  switch (format) {
    case 'date':
    case 'date-time':
      return new Date(text);
    case 'duration':
      return readDuration({ text });
    case 'byte':
      return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    default:
      return text;
  }
}
