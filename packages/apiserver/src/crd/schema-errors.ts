import { goQuote } from '@manta/api';
import { invalid, notSupported, required, tooLong, tooMany, typeInvalid } from '../field/cause.ts';
import { goJson, goNumber } from '../field/go-json.ts';
import { dottedPath, type Step } from '../field/path.ts';
import type { Json } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';

/** One schema violation. Violations with the same `text` are reported once. */
export interface SchemaError {
  readonly text: string;
  readonly cause: FieldCause;
}

type Said = (path: readonly Step[]) => SchemaError;

/** `expected` is a type or a format, `found` what the value is. */
export function wrongType(expected: string, found: string): Said {
  return inBody(`must be of type ${expected}: ${goQuote(found)}`, (field, text) => typeInvalid(field, found, text));
}

/** A required property is missing; the path ends with its name. */
export const missing: Said = inBody('is required', (field) => required(field));

/** `value` is none of those listed. */
export function notListed(value: Json, listed: readonly Json[]): Said {
  const texts = listed.map((each) => (typeof each === 'string' ? each : goJson(each)));
  return inBody(`should be one of [${texts.join(' ')}]`, (field) => notSupported(field, value, texts));
}

/** `value` is a text of more than `max` characters. */
export function longerThan(max: number): Said {
  return inBody(`should be at most ${max} chars long`, (field) => tooLong(field, max));
}

/** `actual` items or properties are more than `max`. */
export function moreThan(actual: number, max: number, what: 'items' | 'properties'): Said {
  return inBody(`should have at most ${max} ${what}`, (field) => tooMany(field, actual, max));
}

/** Anything else: `value` is what the message shows. */
export function unfit(value: Json, problem: string): Said {
  return inBody(problem, (field, text) => invalid(field, value, text));
}

/** A bound in words. */
export function bound(relation: 'greater' | 'less', limit: number, isExclusive: boolean | undefined): string {
  return `should be ${relation} than ${isExclusive === true ? '' : 'or equal to '}${goNumber(limit)}`;
}

/** What is said about the object as a whole, since no single field is to blame. */
export function unplaced(text: string): SchemaError {
  return { text, cause: invalid('<nil>', '', text) };
}

function inBody(problem: string, make: (field: string, text: string) => FieldCause): Said {
  return (path) => {
    const field = dottedPath(path);
    const text = `${field} in body ${problem}`;
    return { text, cause: make(field === '' ? '<nil>' : field, text) };
  };
}
