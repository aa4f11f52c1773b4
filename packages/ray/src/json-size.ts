import { RAY_LIMITS } from '@manta/base';

/** What makes a JSON text too expensive to parse; undefined if nothing does. */
export type JsonExcess = { readonly what: 'levels' | 'values'; readonly limit: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts nesting levels and values of a JSON text without parsing it, and stops at the first limit. Parsing allocates by value and code that
 * walks the result recurses by level, so both are known before either is paid for. Text that is no JSON gets some count, and the parser refuses it.
 */
export function jsonExcess(
  bytes: Uint8Array,
  limits: { readonly answerDepth: number; readonly answerValues: number } = RAY_LIMITS,
): JsonExcess | undefined {
  const { answerDepth, answerValues } = limits;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA || byte === COLON) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > answerDepth) return { what: 'levels', limit: answerDepth };
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    if (values > answerValues) return { what: 'values', limit: answerValues };
  }
  return undefined;
}

/** Where the string ends whose first character is at `start`: at its closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (quote - backslashes > start && bytes[quote - backslashes - 1] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return bytes.length;
}
