import { ownValue } from '@manta/base';
import type { JsonObject } from '../object/json.ts';
import { badRequest } from '../status/errors.ts';
import { textAt } from '../registry/json-path.ts';
import type { ServedVersion } from '../registry/served-resource.ts';

/** Whether an object is selected. */
export type FieldSelector = (object: JsonObject) => boolean;

interface Term {
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** Reads `metadata.name=a,status.phase!=Running` for one version of a resource; a field that it does not offer is a bad request. */
export function parseFieldSelector(text: string, version: ServedVersion): FieldSelector {
  const terms = splitTerms(text).map(parseTerm);
  const checks = terms.map((term) => {
    const read = readerOf(version, term.field);
    return (object: JsonObject) => (read(object) === term.value) === term.isEqual;
  });
  return (object) => checks.every((check) => check(object));
}

/** The name that a selector pins the result to, where it does. */
export function nameInSelector(text: string): string | undefined {
  return splitTerms(text)
    .map(parseTerm)
    .find(({ field, isEqual }) => field === 'metadata.name' && isEqual)?.value;
}

function readerOf(version: ServedVersion, field: string): (object: JsonObject) => string {
  if (field === 'metadata.name') return (object) => textAt(object, 'metadata.name');
  if (field === 'metadata.namespace' && version.resource.isNamespaced) {
    return (object) => textAt(object, 'metadata.namespace');
  }
  const read = ownValue(version.selectableFields, field);
  if (read === undefined) throw badRequest(unknownField(version, field));
  return read;
}

/** Each kind of kind has its own words for it. */
function unknownField({ resource, isBuiltin, selectableFields }: ServedVersion, field: string): string {
  if (resource.group === 'batch') return `field label "${field}" not supported for ${resource.kind}`;
  if (!isBuiltin || Object.keys(selectableFields).length > 0) return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** Commas and equals signs may be escaped by a backslash inside values. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let term = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') term += text.slice(i, ++i + 1);
    else if (text[i] === ',') {
      terms.push(term);
      term = '';
    } else term += text[i];
  }
  return [...terms, term].filter((part) => part !== '');
}

function parseTerm(term: string): Term {
  const match = /^((?:\\.|[^\\=!])*)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, isEqual: operator !== '!=', value: unescapeValue(value) };
}

function unescapeValue(value: string): string {
  const unescaped = /^(?:\\.|[^\\])*?([,=])/s.exec(value.replaceAll(/\\./gs, ''))?.[1];
  if (unescaped !== undefined) {
    throw badRequest(`invalid field selector: unescaped character in value: ${unescaped.charCodeAt(0)}`);
  }
  return value.replaceAll(/\\(.)/gs, '$1');
}
