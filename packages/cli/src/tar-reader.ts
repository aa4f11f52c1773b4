/** An entry of a tar archive. `content` must be read to its end, or be left, before the next entry comes. */
export interface TarEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly mode: number;
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
/** Longest path that an extended header may give; a longer one is no archive of logs. */
const MAX_PATH_BYTES = 64 * 1024;

/**
 * Reads a tar archive (ustar, GNU long names, pax paths) while it arrives, with memory for one chunk. Throws when the archive ends in
 * the middle of an entry or is not a tar archive.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry, void> {
  const bytes = new ByteReader(source);
  let longPath: string | undefined;
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header === undefined || header.every((byte) => byte === 0)) return;
    checkSum(header);
    const size = numberAt(header, 124, 12);
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L' || type === 'x') {
      const text = await bytes.text(size);
      longPath = type === 'L' ? text.replace(/\0.*$/s, '') : (paxPath(text) ?? longPath);
      continue;
    }
    const path = longPath ?? pathOf(header);
    longPath = undefined;
    const kind = type === '5' ? 'directory' : type === '0' || type === '\0' ? 'file' : 'other';
    const content = bytes.content(size);
    yield { path, kind, mode: numberAt(header, 100, 8), size, content };
    for await (const _ of content);
  }
}

/** Hands out a stream in pieces of given lengths. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes; undefined when the stream has ended before the first of them. */
  async take(length: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    let missing = length;
    while (missing > 0) {
      const part = await this.#next(missing);
      if (part === undefined) {
        if (parts.length === 0) return undefined;
        throw new Error('the archive ends in the middle of an entry');
      }
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  async text(size: number): Promise<string> {
    if (size > MAX_PATH_BYTES)
      throw new Error(`an extended header of ${size} bytes is too long; the limit is ${MAX_PATH_BYTES}`);
    const padded = (await this.take(paddedSize(size))) ?? new Uint8Array();
    return Buffer.from(padded.subarray(0, size)).toString('utf8');
  }

  /** The bytes of an entry and, silently, its padding. */
  async *content(size: number): AsyncGenerator<Uint8Array, void> {
    let missing = size;
    let padding = paddedSize(size) - size;
    try {
      while (missing > 0) {
        const part = await this.#next(missing);
        if (part === undefined) throw new Error('the archive ends in the middle of an entry');
        missing -= part.length;
        yield part;
      }
    } finally {
      padding += missing;
      while (padding > 0) {
        const part = await this.#next(padding);
        if (part === undefined) break;
        padding -= part.length;
      }
    }
  }

  async #next(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }
}

function paddedSize(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function textAt(header: Uint8Array, start: number, length: number): string {
  return Buffer.from(header.subarray(start, start + length))
    .toString('utf8')
    .replace(/\0.*$/s, '');
}

/** Octal, or base 256 where the first bit is set (sizes over 8 GiB). */
function numberAt(header: Uint8Array, start: number, length: number): number {
  const field = header.subarray(start, start + length);
  const text = textAt(header, start, length).trim();
  const value =
    ((field[0] ?? 0) & 0x80) === 0
      ? Number.parseInt(text || '0', 8)
      : field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error('not a tar archive: a number in a header cannot be read');
  return value;
}

function pathOf(header: Uint8Array): string {
  const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
  const name = textAt(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function paxPath(text: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
}

function checkSum(header: Uint8Array): void {
  const stated = numberAt(header, 148, 8);
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (sum !== stated) throw new Error('not a tar archive: the checksum of a header is wrong');
}
