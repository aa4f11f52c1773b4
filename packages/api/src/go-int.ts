import { goQuote } from './go-quote.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/**
 * Reads a decimal integer by the rules of Go's `strconv.Atoi`: one optional sign, then digits, nothing around them.
 * Values beyond 2⁵³ lose their last digits; values beyond an int64 are refused.
 */
export function parseGoInt(text: string): Parsed<number> {
  if (!/^[+-]?[0-9]+$/.test(text)) return unparsed(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ''));
  if (value > MAX_INT64 || value < MIN_INT64) {
    return unparsed(`strconv.Atoi: parsing ${goQuote(text)}: value out of range`);
  }
  return parsed(Number(value));
}
