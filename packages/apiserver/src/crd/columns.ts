import { type CustomResourceColumnDefinition, humanDuration } from '@manta/api';
import { goJson, goNumber } from '../field/go-json.ts';
import type { Json } from '../object/json.ts';
import type { PrinterColumn } from '../registry/printer-column.ts';
import { compileJsonPath } from './json-path.ts';

/** The columns that `kubectl get` shows after the name; without any of its own a custom resource shows its age. */
export function crdColumns(columns: readonly CustomResourceColumnDefinition[] | undefined): readonly PrinterColumn[] {
  return (columns === undefined || columns.length === 0 ? [age] : columns).map(columnOf);
}

const age: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description:
    'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
};

function columnOf(column: CustomResourceColumnDefinition): PrinterColumn {
  const { name, type, format = '', jsonPath, priority = 0 } = column;
  const read = compileJsonPath(jsonPath);
  return {
    name,
    type,
    format,
    description: column.description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, { nowMs }) => {
      const value = read?.(object)[0];
      return value === undefined || value === null ? null : cellOf(type, value, nowMs);
    },
  };
}

function cellOf(type: string, value: Exclude<Json, null>, nowMs: number): Json {
  switch (type) {
    case 'string':
      return printed(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateCell(value, nowMs) : null;
    default:
      return null;
  }
}

function printed(value: Exclude<Json, null>): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? goNumber(value) : goJson(value);
}

function dateCell(text: string, nowMs: number): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? '<invalid>' : humanDuration(nowMs - time);
}
