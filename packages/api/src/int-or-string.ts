import type { IntOrString } from './core.gen.ts';
import { parseGoInt } from './go-int.ts';
import { MAX_INT32 } from './limits.ts';

/** Is this a value that the API server takes for an int-or-string field? */
export function isIntOrString(value: unknown): value is IntOrString {
  if (typeof value === 'string') return true;
  return typeof value === 'number' && Number.isInteger(value) && value >= -MAX_INT32 - 1 && value <= MAX_INT32;
}

/** Reads text from a command line: a number that fits into an int32 is a number, everything else stays text. */
export function parseIntOrString(text: string): IntOrString {
  const number = parseGoInt(text);
  return number.ok && isIntOrString(number.value) ? number.value : text;
}

/** The number that a value stands for; text that isn't a number counts as 0, as it does in Kubernetes. */
export function intValue(value: IntOrString): number {
  if (typeof value === 'number') return value;
  const number = parseGoInt(value);
  return number.ok ? number.value : 0;
}

/** The value as text. */
export function formatIntOrString(value: IntOrString): string {
  return String(value);
}
