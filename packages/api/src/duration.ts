import { type Parsed, parsed, unparsed } from './parsed.ts';

/** A length of time in nanoseconds, within an int64. */
export type DurationNs = bigint;

export const NS_PER_MS = 1_000_000n;
export const NS_PER_SECOND = 1_000_000_000n;

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: NS_PER_MS,
  s: NS_PER_SECOND,
  m: 60n * NS_PER_SECOND,
  h: 3600n * NS_PER_SECOND,
};

const LIMIT = 2n ** 63n;
const MAX_FRACTION = (LIMIT - 1n) / 10n;

/** Reads a Go duration such as `5m`, `1h30m`, `-1.5s` or `0`, with Go's own error texts. */
export function parseDuration(text: string): Parsed<DurationNs> {
  const negative = text.startsWith('-');
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return parsed(0n);
  const invalid = unparsed<DurationNs>(`time: invalid duration ${quote(text)}`);
  if (rest === '') return invalid;
  let total = 0n;
  while (rest !== '') {
    const [term, whole = '', fraction = '', unit = ''] = /^([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/.exec(rest) ?? [''];
    if (whole === '' && fraction === '') return invalid;
    if (BigInt(whole) > LIMIT) return invalid;
    if (unit === '') return unparsed(`time: missing unit in duration ${quote(text)}`);
    const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
    if (size === undefined) return unparsed(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    const amount = BigInt(whole) * size + fractionOf(fraction, size);
    total += amount;
    if (total > LIMIT) return invalid;
    rest = rest.slice(term.length);
  }
  if (negative) return parsed(-total);
  return total === LIMIT ? invalid : parsed(total);
}

/** Go computes fractions in floating point and drops digits beyond an int64; we do the same to get the same nanoseconds. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    if (value > MAX_FRACTION) break;
    const next = value * 10n + BigInt(digit);
    if (next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** Writes a duration as Go does: `0s`, `1.5s`, `1h0m0s`, `250µs`. */
export function formatDuration(duration: DurationNs): string {
  if (duration === 0n) return '0s';
  const sign = duration < 0n ? '-' : '';
  const size = duration < 0n ? -duration : duration;
  return sign + (size < NS_PER_SECOND ? formatBelowSecond(size) : formatFromSecond(size));
}

function formatBelowSecond(ns: bigint): string {
  if (ns < 1_000n) return `${ns}ns`;
  return ns < NS_PER_MS ? `${decimal(ns, 1_000n)}µs` : `${decimal(ns, NS_PER_MS)}ms`;
}

function formatFromSecond(ns: bigint): string {
  const minutes = ns / (60n * NS_PER_SECOND);
  const seconds = `${decimal(ns % (60n * NS_PER_SECOND), NS_PER_SECOND)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const places = unit.toString().length - 1;
  const fraction = (value % unit).toString().padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}

/** Whole and fractional milliseconds of a duration; exact up to about 104 days. */
export function durationToMs(duration: DurationNs): number {
  return Number(duration) / Number(NS_PER_MS);
}

/** The duration of a number of milliseconds, to the nanosecond. */
export function durationFromMs(ms: number): DurationNs {
  const whole = Math.trunc(ms);
  return BigInt(whole) * NS_PER_MS + BigInt(Math.round((ms - whole) * Number(NS_PER_MS)));
}

/** Go's time package quotes bytes that aren't plain ASCII one by one. */
function quote(text: string): string {
  let quoted = '"';
  for (const char of text) {
    if (char === '"' || char === '\\') quoted += `\\${char}`;
    else if (/^[ -\x7f]$/.test(char)) quoted += char;
    else for (const byte of new TextEncoder().encode(char)) quoted += `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return `${quoted}"`;
}
