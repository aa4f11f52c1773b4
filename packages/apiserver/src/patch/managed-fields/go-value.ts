import { goQuote } from '@manta/api';
import { goNumber } from '../../field/go-json.ts';
import { isObject, type Json } from '../../object/json.ts';

/** A JSON value in the notation of Go source, as `%#v` prints it. */
export function goSyntax(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return scalar(value);
  return `map[string]interface {}{${sorted(value)
    .map(([key, item]) => `${goQuote(key)}:${goSyntax(item)}`)
    .join(', ')}}`;
}

/** A wrapped JSON value as Go prints it in passing: `&{x}`, `&{map[a:1]}`. */
export function goValue(value: Json): string {
  return `&{${plain(value)}}`;
}

/** The name of the Go type that holds a JSON value. */
export function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return value === null ? '<nil>' : 'string';
}

/** A JSON value as Go's `%v` prints it. */
export function plain(value: Json): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(plain).join(' ')}]`;
  if (!isObject(value)) return scalar(value);
  return `map[${sorted(value)
    .map(([key, item]) => `${key}:${plain(item)}`)
    .join(' ')}]`;
}

function scalar(value: Json): string {
  return typeof value === 'number' ? goNumber(value) : JSON.stringify(value);
}

function sorted(value: Readonly<Record<string, Json>>): readonly [string, Json][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
