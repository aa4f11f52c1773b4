import { ownValue } from '@manta/base';
/** Writes a value as Go's JSON encoder does: object keys sorted, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  if (value instanceof GoStruct) {
    return `{${Object.entries(value.fields)
      .map(([key, item]) => `${text(key)}:${goJson(item)}`)
      .join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    const written = entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${text(key)}:${goJson(item)}`);
    return `{${written.join(',')}}`;
  }
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return goNumber(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return value.toString();
  return 'null';
}

/** A Go struct in a message: its fields keep their order. */
export class GoStruct {
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields;
  }
}

/** Writes a number as Go's `%v` does. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  return value.toString().replace(/e([+-])(\d)$/, 'e$10$2');
}

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

function text(value: string): string {
  return JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, (char) => ownValue(escapes, char) ?? char);
}
