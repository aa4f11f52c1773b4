import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { apiVersionOf } from '@manta/kube';
import { stringify } from 'yaml';
import { usageError } from '../cli-error.ts';
import { evaluateJsonPath } from './json-path.ts';
import { type Table, tableLines } from './table.ts';

/** How `-o` asks for the output. */
export type OutputFormat =
  | { readonly kind: 'table' }
  | { readonly kind: 'wide' }
  | { readonly kind: 'json' }
  | { readonly kind: 'yaml' }
  | { readonly kind: 'name' }
  | { readonly kind: 'jsonpath'; readonly template: string };

const FORMATS = 'table, wide, json, yaml, name, jsonpath=TEMPLATE';

/** Reads `-o`; absent is a table. */
export function outputFormat(text: string | undefined): OutputFormat {
  if (text === undefined) return { kind: 'table' };
  const template = /^jsonpath=(.+)$/s.exec(text)?.[1];
  if (template !== undefined) return { kind: 'jsonpath', template };
  if (text === 'table' || text === 'wide' || text === 'json' || text === 'yaml' || text === 'name')
    return { kind: text };
  throw usageError(`-o ${text} is not an output format. Use one of: ${FORMATS}.`);
}

/** What a `get` found, and how it looks as a table. */
export interface Found<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly items: readonly T[];
  /** The object was asked for by name: documents hold it alone, not a list. */
  readonly isSingle: boolean;
  table(isWide: boolean): Table;
}

/** The text of what was found, in the asked format, without a line break at its end. */
export function formatObjects<T extends KubeObject>(format: OutputFormat, found: Found<T>): string {
  if (format.kind === 'table' || format.kind === 'wide')
    return tableLines(found.table(format.kind === 'wide')).join('\n');
  const { type, items, isSingle } = found;
  const typed = items.map((item) => ({ apiVersion: apiVersionOf(type), kind: type.kind, ...item }));
  if (format.kind === 'name') {
    const prefix = type.group === '' ? type.kind.toLowerCase() : `${type.kind.toLowerCase()}.${type.group}`;
    return typed.map(({ metadata }) => `${prefix}/${metadata?.name}`).join('\n');
  }
  const document =
    isSingle && typed.length === 1 ? typed[0] : { apiVersion: 'v1', kind: 'List', items: typed, metadata: {} };
  if (format.kind === 'json') return JSON.stringify(document, null, 4);
  if (format.kind === 'yaml') return toYaml(document);
  return evaluateJsonPath(format.template, document);
}

/** YAML with sorted keys, as kubectl prints it. */
export function toYaml(value: unknown): string {
  return stringify(value, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
}
