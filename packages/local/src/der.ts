/** One value in ASN.1's distinguished encoding: tag, length, content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), derLength(body.length), body]);
}

function derLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** SEQUENCE. */
export const sequence = (...items: readonly Uint8Array[]): Buffer => der(0x30, ...items);

/** SET of one value, the only set that certificates of ours hold. */
export const setOf = (item: Uint8Array): Buffer => der(0x31, item);

/** A constructed value under a context-specific tag. */
export const tagged = (number: number, ...items: readonly Uint8Array[]): Buffer => der(0xa0 | number, ...items);

/** A primitive value under a context-specific tag. */
export const taggedBytes = (number: number, bytes: Uint8Array): Buffer => der(0x80 | number, bytes);

/** A positive INTEGER from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const padded = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return der(0x02, padded);
}

/** BOOLEAN true. */
export const derTrue: Buffer = der(0x01, Buffer.from([0xff]));

/** BIT STRING; `unusedBits` are the low bits of its last byte that don't count. */
export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer => der(0x03, Buffer.from([unusedBits]), bytes);

/** OCTET STRING. */
export const octetString = (bytes: Uint8Array): Buffer => der(0x04, bytes);

/** UTF8String. */
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text));

/** OBJECT IDENTIFIER from its dotted form. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const base128 = [part % 128];
    for (let value = Math.floor(part / 128); value > 0; value = Math.floor(value / 128))
      base128.unshift(0x80 | (value % 128));
    bytes.push(...base128);
  }
  return der(0x06, Buffer.from(bytes));
}

/** A time, as certificates want it: two-digit years until 2049, four digits from then on. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

/** DER as PEM text. */
export function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
