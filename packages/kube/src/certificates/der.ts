/** Just enough ASN.1 DER to write an X.509 certificate. */

/** One element: tag, length, content. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
export const setOf = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts);
export const octets = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));
/** Explicit context tag, e.g. `[3]`. */
export const explicit = (tag: number, ...parts: readonly Uint8Array[]): Buffer => element(0xa0 | tag, ...parts);
/** Implicit primitive context tag, e.g. a dNSName inside GeneralNames. */
export const implicit = (tag: number, content: Uint8Array): Buffer => element(0x80 | tag, content);

/** A bit string without unused bits, unless said otherwise. */
export function bits(content: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.from([unusedBits]), content);
}

/** A non-negative integer of any size, given big-endian. */
export function integer(bigEndian: Uint8Array): Buffer {
  const first = bigEndian[0] ?? 0;
  return element(0x02, first >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bigEndian);
}

/** `1.2.840.10045.4.3.2` and the like. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime until 2049, GeneralizedTime after, as RFC 5280 asks. */
export function time(at: Date): Buffer {
  const digits = at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  return at.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : element(0x18, Buffer.from(digits, 'ascii'));
}

function lengthOf(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
