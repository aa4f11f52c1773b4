import { ownValue } from '@manta/base';
import { goQuote } from '@manta/api';
import type { FieldCause } from '../status/status-error.ts';
import { goJson } from './go-json.ts';

/** Stands for a value that a message leaves out. */
export const omitted: unique symbol = Symbol('omitted');

const words: Readonly<Record<string, string>> = {
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotFound: 'Not found',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueRequired: 'Required value',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

/** The value has the wrong form. */
export function invalid(field: string, value: unknown, detail: string): FieldCause {
  return cause('FieldValueInvalid', field, value, detail);
}

/** The value has the wrong JSON type. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldCause {
  return cause('FieldValueTypeInvalid', field, value, detail);
}

/** The field must be there. */
export function required(field: string, detail = ''): FieldCause {
  return cause('FieldValueRequired', field, omitted, detail);
}

/** The value is fine in itself, but not here. */
export function forbidden(field: string, detail: string): FieldCause {
  return cause('FieldValueForbidden', field, omitted, detail);
}

/** The value occurs twice where it may occur once. */
export function duplicate(field: string, value: unknown): FieldCause {
  return cause('FieldValueDuplicate', field, value, '');
}

/** The value names something that does not exist. */
export function notFound(field: string, value: unknown): FieldCause {
  return cause('FieldValueNotFound', field, value, '');
}

/** The value is none of those that are allowed. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldCause {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return cause('FieldValueNotSupported', field, value, detail);
}

/** The text has more bytes than allowed. */
export function tooLong(field: string, max: number, unit = 'byte'): FieldCause {
  return cause('FieldValueTooLong', field, omitted, `may not be more than ${max} ${max === 1 ? unit : `${unit}s`}`);
}

/** The list has more items than allowed. */
export function tooMany(field: string, actual: number, max: number): FieldCause {
  return cause('FieldValueTooMany', field, actual, `must have at most ${max} ${max === 1 ? 'item' : 'items'}`);
}

function cause(reason: string, field: string, value: unknown, detail: string): FieldCause {
  const parts = [ownValue(words, reason) ?? reason];
  if (value !== omitted) parts.push(typeof value === 'string' ? goQuote(value) : goJson(value));
  if (detail !== '') parts.push(detail);
  return { reason, message: parts.join(': '), field };
}
