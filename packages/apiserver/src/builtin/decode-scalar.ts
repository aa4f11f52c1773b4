import { formatQuantity, goQuote, parseQuantity } from '@manta/api';
import { goJson, goNumber } from '../field/go-json.ts';
import type { Json } from '../object/json.ts';
import { DecodeError } from './decode-error.ts';
import type { ScalarKind } from './shape.ts';

type PlainKind = Exclude<ScalarKind, 'schemaOrArray' | 'schemaOrBool'>;
/** What is to be said of a value of the wrong kind, besides the obvious. */
export interface Wrong {
  /** The type that it should have, where that is not the field's own. */
  readonly type?: string;
  /** What exactly was found. */
  readonly detail?: string;
  /** The type reads itself and gives up at once. */
  readonly isFatal?: boolean;
  /** The whole text, where it is another. */
  readonly message?: string;
}

/** Notes a value of the wrong kind. */
type Mismatch = (value: Json, more?: Wrong) => undefined;

/** Reads a value that has no parts and gives it the form in which Go writes it. */
export function decodeScalar(kind: PlainKind, value: Exclude<Json, null>, mismatch: Mismatch): Json | undefined {
  switch (kind) {
    case 'string':
      if (typeof value !== 'string') return mismatch(value);
      return value;
    case 'bool':
      if (typeof value !== 'boolean') return mismatch(value);
      return value;
    case 'int32':
    case 'int64':
      return decodeInteger(kind, value, mismatch);
    case 'float64':
      if (typeof value !== 'number') return mismatch(value);
      return value;
    case 'bytes':
      return decodeBytes(value, mismatch);
    case 'intOrString':
      return typeof value === 'string'
        ? value
        : decodeInteger('int32', value, (wrong, more) => mismatch(wrong, { ...more, type: 'int32', isFatal: true }));
    case 'quantity':
      return decodeQuantity(value);
    case 'time':
      return decodeTime(value, 0, mismatch);
    case 'microTime':
      return decodeTime(value, 6, mismatch);
    case 'duration':
      if (typeof value !== 'string') return mismatch(value, { type: 'string', isFatal: true });
      return value;
    case 'any':
      return value;
  }
}

function decodeInteger(kind: 'int32' | 'int64', value: Json, mismatch: Mismatch): number | undefined {
  if (typeof value !== 'number') return mismatch(value);
  const isFitting = Number.isInteger(value) && (kind === 'int64' || (value >= -(2 ** 31) && value < 2 ** 31));
  if (isFitting) return value;
  return mismatch(value, { detail: ` ${goNumber(value)}` });
}

function decodeBytes(value: Json, mismatch: Mismatch): string | undefined {
  if (Array.isArray(value)) return decodeByteList(value, mismatch);
  if (typeof value !== 'string') return mismatch(value);
  const text = value.replaceAll(/[\r\n]/g, '');
  const bad = text.search(/[^A-Za-z0-9+/=]/);
  if (bad !== -1 || text.length % 4 !== 0 || /=[^=]|={3}|^=/.test(text)) {
    const at = bad === -1 ? text.length - (text.length % 4) : bad;
    return mismatch(value, { message: `illegal base64 data at input byte ${at}` });
  }
  return text;
}

/** A list of numbers is bytes to Go as well. */
function decodeByteList(list: readonly Json[], mismatch: Mismatch): string | undefined {
  for (const item of list) {
    const isByte = typeof item === 'number' && Number.isInteger(item) && item >= 0 && item < 256;
    const detail = typeof item === 'number' ? { detail: ` ${goNumber(item)}` } : {};
    if (!isByte && item !== null) return mismatch(item, { type: 'uint8', ...detail });
  }
  return Buffer.from(list.map(Number)).toString('base64');
}

function decodeQuantity(value: Exclude<Json, null>): string {
  const text = typeof value === 'string' ? value.trim() : goJson(value);
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new DecodeError(parsed.error);
  return formatQuantity(parsed.value);
}

const timeParts = [/\d{4}/y, /-/y, /\d{2}/y, /-/y, /\d{2}/y, /T/y, /\d{2}/y, /:/y, /\d{2}/y, /:/y, /\d{2}/y] as const;
const timeNames = ['2006', '-', '01', '-', '02', 'T', '15', ':', '04', ':', '05'] as const;

/** Reads a time as Go does by the layout of RFC 3339: with a fraction of any length, or of exactly six digits. */
function decodeTime(value: Exclude<Json, null>, digits: 0 | 6, mismatch: Mismatch): string | undefined {
  if (typeof value !== 'string') return mismatch(value, { type: 'string', isFatal: true });
  const end = parseTime(value, digits);
  const time = Date.parse(value);
  if (Number.isNaN(time)) throw timeError(value, digits, ': day out of range');
  const seconds = new Date(time).toISOString().slice(0, 19);
  return digits === 0 ? `${seconds}Z` : `${seconds}${value.slice(end - 7, end)}Z`;
}

/** Where the time zone begins. */
function parseTime(value: string, digits: 0 | 6): number {
  let at = 0;
  const expect = (pattern: RegExp, name: string): void => {
    pattern.lastIndex = at;
    if (!pattern.test(value)) throw timeError(value, digits, `: cannot parse ${goQuote(value.slice(at))} as "${name}"`);
    at = pattern.lastIndex;
  };
  for (const [index, pattern] of timeParts.entries()) expect(pattern, timeNames[index] ?? '');
  if (digits === 6) expect(/\.\d{6}(?!\d)/y, '.000000');
  else expect(/(\.\d+)?/y, '');
  const end = at;
  expect(/(Z|[+-]\d{2}:\d{2})/y, 'Z07:00');
  if (at < value.length) throw timeError(value, digits, `: extra text: ${goQuote(value.slice(at))}`);
  return end;
}

function timeError(value: string, digits: 0 | 6, problem: string): DecodeError {
  const layout = digits === 0 ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00';
  return new DecodeError(`parsing time ${goQuote(value)} as "${layout}"${problem}`);
}
