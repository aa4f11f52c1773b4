import { humanDuration } from '@manta/api';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import type { CellContext, PrinterColumn } from '../registry/printer-column.ts';

/** What stands in a cell that has nothing to show. */
export const NONE = '<none>';

/** A column that is always shown. */
export function column(name: string, cell: PrinterColumn['cell'], type = 'string'): PrinterColumn {
  return { name, type, format: '', description: '', priority: 0, cell };
}

/** A column that `-o wide` shows. */
export function wide(name: string, cell: PrinterColumn['cell'], type = 'string'): PrinterColumn {
  return { ...column(name, cell, type), priority: 1 };
}

/** A column that shows a text of the object as it is. */
export function field(name: string, path: string, whenEmpty = ''): PrinterColumn {
  return column(name, (object) => textAt(object, path) || whenEmpty);
}

/** How long ago something was. */
export function ageOf(time: string, { nowMs }: CellContext): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '<unknown>' : humanDuration(nowMs - at);
}

/** The age of an object. */
export const AGE = column('Age', (object, context) => ageOf(textAt(object, 'metadata.creationTimestamp'), context));

/** When an object was created, for kinds that the server has no printer for. */
export const CREATED_AT = column(
  'Created At',
  (object) => valueAt(object, 'metadata.creationTimestamp') ?? null,
  'date',
);

/** The objects of a list. */
export function objectsAt(object: JsonObject, path: string): readonly JsonObject[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The texts of a list. */
export function textsAt(object: JsonObject, path: string): readonly string[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** How many entries a map has. */
export function sizeAt(object: JsonObject, path: string): number {
  const value = valueAt(object, path);
  return isObject(value) ? Object.keys(value).length : 0;
}

/** A number, or 0. */
export function numberAt(object: JsonObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}

/** `a=b,c=d`, sorted; `<none>` for an empty map. */
export function labelsText(labels: Json | undefined): string {
  const entries = isObject(labels) ? Object.entries(labels) : [];
  if (entries.length === 0) return NONE;
  return entries
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : ''}`)
    .toSorted()
    .join(',');
}

/** A metav1.LabelSelector in one line. */
export function selectorText(selector: Json | undefined): string {
  if (!isObject(selector)) return NONE;
  const labels = isObject(selector['matchLabels']) ? Object.entries(selector['matchLabels']) : [];
  const terms = labels.map(([key, value]) => `${key}=${typeof value === 'string' ? value : ''}`).toSorted();
  for (const { key, operator, values } of objectsAt(selector, 'matchExpressions')) {
    const name = typeof key === 'string' ? key : '';
    const list = Array.isArray(values) ? `(${values.join(',')})` : '()';
    if (operator === 'Exists') terms.push(name);
    else if (operator === 'DoesNotExist') terms.push(`!${name}`);
    else terms.push(`${name} ${operator === 'In' ? 'in' : 'notin'} ${list}`);
  }
  return terms.length === 0 ? NONE : terms.join(',');
}
