import type { Quantity } from './core.gen.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';

/** How a quantity was written, and so how it is written again: `1500m`, `1Gi`, `1e3`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** A quantity that has been read: an exact amount. Kubernetes keeps nine decimals at most, so a whole number of billionths holds every one. */
export interface Amount {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  /** The text it was read from, where Kubernetes would write the same text again although a shorter one exists. */
  readonly text?: string;
}

const NANO_DIGITS = 9;
const NANOS = 10n ** BigInt(NANO_DIGITS);
const MAX_INT64 = 2n ** 63n - 1n;
/** Kubernetes holds amounts in an int64 where the digits surely fit; only such amounts keep their text. */
const MAX_INT64_DIGITS = 18;
/** Kubernetes sets no limit and loses the value; an amount of a thousand digits is a mistake worth naming. */
const MAX_EXPONENT = 1000;

const DECIMAL_EXPONENTS: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";

interface Suffix {
  readonly format: QuantityFormat;
  readonly exponent: number;
}

interface Digits {
  readonly text: string;
  readonly negative: boolean;
  /** Without leading zeros, at least `0`. */
  readonly whole: string;
  readonly fraction: string;
  readonly hasDigits: boolean;
}

/**
 * Reads a quantity as the API server does, with its error texts; a JSON number stands for its own text.
 * More than nine decimals are rounded away from zero, binary amounts stop at what an int64 holds.
 */
export function parseQuantity(text: Quantity): Parsed<Amount> {
  const source = String(text);
  const match = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/.exec(source);
  if (match === null || source === '') return unparsed(WRONG_FORMAT);
  const [, sign = '', whole = '', fraction = '', suffixText = ''] = match;
  const suffix = parseSuffix(suffixText);
  if (suffix === undefined) return unparsed(WRONG_SUFFIX);
  const digits: Digits = {
    text: source,
    negative: sign === '-',
    whole: whole.replace(/^0+/, '') || '0',
    fraction,
    hasDigits: whole !== '' || fraction !== '',
  };
  if (suffix.format === 'BinarySI') return binaryQuantity(digits, suffix.exponent);
  if (Math.abs(suffix.exponent) > MAX_EXPONENT) {
    return unparsed(`the exponent of ${source} is too large: the limit is ${MAX_EXPONENT}`);
  }
  return decimalQuantity(digits, suffix);
}

function parseSuffix(text: string): Suffix | undefined {
  const decimal = DECIMAL_EXPONENTS.get(text);
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal };
  const binary = BINARY_SUFFIXES.findIndex((suffix) => suffix === text);
  if (binary > 0) return { format: 'BinarySI', exponent: binary };
  const exponent = /^[eE]([+-]?[0-9]+)$/.exec(text)?.[1];
  return exponent === undefined ? undefined : { format: 'DecimalExponent', exponent: Number(exponent) };
}

function decimalQuantity(digits: Digits, { format, exponent }: Suffix): Parsed<Amount> {
  const shifted = digits.whole + digits.fraction;
  const scale = exponent - digits.fraction.length;
  const isShort = shifted.length <= MAX_INT64_DIGITS && scale >= -NANO_DIGITS;
  if (!isShort && !digits.hasDigits) return unparsed(WRONG_NUMBER);
  const nanos = signed(digits, scaleToNanos(BigInt(shifted), scale));
  const keepsText = isShort && scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  return parsed(keepsText ? { nanos, format, text: digits.text } : { nanos, format });
}

function binaryQuantity(digits: Digits, power: number): Parsed<Amount> {
  const isShort = digits.fraction === '' && digits.whole.length + power * 3 < 15;
  if (!isShort && !digits.hasDigits) return unparsed(WRONG_NUMBER);
  const factor = 1024n ** BigInt(power);
  const amount = BigInt(digits.whole + digits.fraction) * factor;
  const nanos = min(scaleToNanos(amount, -digits.fraction.length), MAX_INT64 * NANOS);
  const isFraction = nanos > 0n && nanos < NANOS;
  const format = isFraction ? 'DecimalSI' : 'BinarySI';
  const keepsText = isShort && BigInt(digits.whole) % 8n !== 0n;
  const quantity = { nanos: signed(digits, nanos), format } as const;
  return parsed(keepsText ? { ...quantity, text: digits.text } : quantity);
}

function signed(digits: Digits, nanos: bigint): bigint {
  return digits.negative ? -nanos : nanos;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** `amount` × 10^`scale` in billionths; what is lost below a billionth is rounded away from zero. */
function scaleToNanos(amount: bigint, scale: number): bigint {
  const shift = scale + NANO_DIGITS;
  return shift >= 0 ? amount * 10n ** BigInt(shift) : divideAwayFromZero(amount, 10n ** BigInt(-shift));
}

function divideAwayFromZero(amount: bigint, divisor: bigint): bigint {
  const quotient = amount / divisor;
  if (amount % divisor === 0n) return quotient;
  return amount > 0n ? quotient + 1n : quotient - 1n;
}

/** Writes a quantity as Kubernetes does: whole numbers of the largest unit that loses nothing. */
export function formatQuantity(quantity: Amount): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.nanos === 0n) return '0';
  if (quantity.format === 'BinarySI' && canBeBinary(quantity.nanos)) return formatBinary(quantity.nanos / NANOS);
  return formatDecimal(quantity.nanos, quantity.format === 'DecimalExponent');
}

/** Amounts below 1024, and amounts with decimals, read better in decimal. */
function canBeBinary(nanos: bigint): boolean {
  const isSmall = nanos > -1024n * NANOS && nanos < 1024n * NANOS;
  return !isSmall && nanos % NANOS === 0n;
}

function formatBinary(amount: bigint): string {
  let rest = amount;
  let power = 0;
  while (rest % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY_SUFFIXES[power] ?? ''}`;
}

function formatDecimal(nanos: bigint, withExponent: boolean): string {
  const digits = nanos.toString();
  const zeros = digits.length - digits.replace(/0+$/, '').length;
  const largest = withExponent ? Number.POSITIVE_INFINITY : (DECIMAL_SUFFIXES.length - 1) * 3;
  const removable = Math.min(zeros - (zeros % 3), largest);
  const mantissa = digits.slice(0, digits.length - removable);
  if (!withExponent) return `${mantissa}${DECIMAL_SUFFIXES[removable / 3] ?? ''}`;
  const exponent = removable - NANO_DIGITS;
  return exponent === 0 ? mantissa : `${mantissa}e${exponent}`;
}

/** A whole number as a quantity. */
export function quantityOf(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Amount {
  return { nanos: BigInt(value) * NANOS, format };
}

/** Negative where `a` is less than `b`, 0 where they are the same amount, positive where it is more. */
export function compareQuantities(a: Amount, b: Amount): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** Is the amount zero? */
export function isZeroQuantity(quantity: Amount): boolean {
  return quantity.nanos === 0n;
}

/** The sum, written like `a`, or like `b` where `a` is zero. */
export function addQuantities(a: Amount, b: Amount): Amount {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** The amount taken a whole number of times. */
export function multiplyQuantity(quantity: Amount, times: number | bigint): Amount {
  return { nanos: quantity.nanos * BigInt(times), format: quantity.format };
}

/** The whole number that is needed to hold the amount: decimals are rounded away from zero. */
export function quantityValue(quantity: Amount): bigint {
  return divideAwayFromZero(quantity.nanos, NANOS);
}

/** The same in thousandths. */
export function quantityMilliValue(quantity: Amount): bigint {
  return divideAwayFromZero(quantity.nanos, 10n ** 6n);
}
