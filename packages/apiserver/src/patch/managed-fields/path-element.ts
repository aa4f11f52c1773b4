import { goQuote } from '@manta/api';
import { isObject, type Json } from '../../object/json.ts';

/**
 * One step of a field path, in the form that fieldsV1 has: `f:name` a field, `k:{"name":"x"}` the list item with that key, `v:"x"` the
 * item of a set, `i:0` an index. Written canonically, so that equal steps are equal strings.
 */
export type PathElement = string;

/** The field of that name. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The item of a keyed list; keys in any order. */
export function keyElement(keys: Readonly<Record<string, Json>>): PathElement {
  const entries = Object.entries(keys);
  if (entries.length > 1) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const written = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `k:{${written.join(',')}}`;
}

/** The item of a set. */
export function valueElement(value: Json): PathElement {
  return `v:${JSON.stringify(value)}`;
}

/** The field's name, where the step is a field. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** Whether the step picks the item of a keyed list. */
export function isKey(element: PathElement): boolean {
  return element.startsWith('k:');
}

/** Normalises a path element from a client; undefined for unknown kinds. Throws on invalid JSON. */
export function readPathElement(text: string): PathElement | undefined {
  const content = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
    case 'i:':
      return text;
    case 'v:':
      return valueElement(parse(content));
    case 'k:': {
      const keys = parse(content);
      return isObject(keys) ? keyElement(keys) : undefined;
    }
    default:
      return undefined;
  }
}

/** Steps in the order in which the server lists them: fields, then keyed items, then values, then indexes. */
export function sortPathElements(steps: Iterable<PathElement>): readonly PathElement[] {
  const fields: PathElement[] = [];
  const others: { readonly step: PathElement; readonly value: Json }[] = [];
  for (const step of steps) {
    if (step.startsWith('f:')) fields.push(step);
    else others.push({ step, value: parse(step.slice(2)) });
  }
  others.sort((a, b) => kindRank(a.step) - kindRank(b.step) || compareJson(a.value, b.value));
  return [...fields.toSorted(), ...others.map(({ step }) => step)];
}

function kindRank(step: PathElement): number {
  return 'kvi'.indexOf(step.charAt(0));
}

/** A path as messages show it: `.spec.containers[name="a"].image`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}

/** One step as messages show it. */
export function elementText(element: PathElement): string {
  const content = element.slice(2);
  if (element.startsWith('f:')) return `.${content}`;
  if (element.startsWith('i:')) return `[${content}]`;
  const value = parse(content);
  if (element.startsWith('v:')) return `[=${valueText(value)}]`;
  const keys = isObject(value) ? Object.entries(value) : [];
  return `[${keys.map(([name, key]) => `${name}=${valueText(key)}`).join(',')}]`;
}

function valueText(value: Json): string {
  return typeof value === 'string' ? goQuote(value) : JSON.stringify(value);
}

function compareJson(a: Json, b: Json): number {
  if (isObject(a) && isObject(b)) return compareKeys(Object.entries(a), Object.entries(b));
  if (typeof a === typeof b && a !== null && b !== null) return a < b ? -1 : Number(a > b);
  return rank(a) - rank(b);
}

function compareKeys(a: readonly [string, Json][], b: readonly [string, Json][]): number {
  for (const [i, [name, value]] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (name !== other[0]) return name < other[0] ? -1 : 1;
    const order = compareJson(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function rank(value: Json): number {
  return ['number', 'string', 'boolean', 'object'].indexOf(typeof value);
}

function parse(text: string): Json {
  // JSON.parse gives nothing but JSON values.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(text) as Json;
}
