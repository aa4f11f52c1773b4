import { LineCounter, parseAllDocuments } from 'yaml';
import { messageOf, usageError } from '../../cli-error.ts';
import { isRecord, type JsonRecord, textAt } from './check-object.ts';
import type { ManifestFile } from './read-manifests.ts';

/** The objects of a file, the items of Lists included. Malformed YAML is a usage error with file, line and column. */
export function parseManifests({ name, text }: ManifestFile): readonly JsonRecord[] {
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter });
  return (Array.isArray(parsed) ? parsed : []).flatMap((document) => {
    const [broken] = document.errors;
    if (broken !== undefined) {
      const [{ line, col }] = broken.linePos ?? [{ line: 1, col: 1 }];
      const message = broken.message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '';
      throw usageError(`${name}:${line}:${col}: ${message}`);
    }
    let value: unknown;
    try {
      value = document.toJS();
    } catch (error) {
      throw usageError(`${name}: ${messageOf(error)}`, error);
    }
    return objectsIn(value);
  });
}

function objectsIn(value: unknown): readonly JsonRecord[] {
  if (!isRecord(value)) return [];
  const { items } = value;
  return textAt(value, 'kind').endsWith('List') && Array.isArray(items) ? items.filter(isRecord) : [value];
}
