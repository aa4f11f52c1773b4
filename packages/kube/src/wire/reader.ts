export const VARINT = 0;
const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

/** Bytes that are not what the encoding allows, or that end too early. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** Reads protobuf's elements one after the other, from `at` up to `end`. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The next field's number and how its value is encoded. */
  tag(): { readonly number: number; readonly wire: number } {
    const tag = this.whole();
    return { number: tag >>> 3, wire: tag & 7 };
  }

  double(): number {
    const start = this.#at;
    this.#advance(8);
    return this.#bytes.readDoubleLE(start);
  }

  /** A varint, signed as Go's int32 and int64 are; beyond 2^53 it is not exact. */
  whole(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let low = first & 0x7f;
    let high = 0;
    for (let shift = 7; ; shift += 7) {
      if (shift > 63) throw new WireError('a number does not end');
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (shift <= 28) low |= bits << shift;
      if (shift === 28) high = bits >>> 4;
      if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) return (high | 0) * 2 ** 32 + (low >>> 0);
    }
  }

  /** The next length-delimited field, as a reader of its own. */
  inner(): WireReader {
    const start = this.#pass();
    return new WireReader(this.#bytes, start, this.#at);
  }

  text(): string {
    const start = this.#pass();
    return start === this.#at ? '' : this.#bytes.toString('utf8', start, this.#at);
  }

  /** Shares the memory of what is read. */
  bytes(): Buffer {
    const start = this.#pass();
    return this.#bytes.subarray(start, this.#at);
  }

  skip(wireType: number): void {
    if (wireType === VARINT) this.whole();
    else if (wireType === BYTES) this.#pass();
    else if (wireType === FIXED64) this.#advance(8);
    else if (wireType === FIXED32) this.#advance(4);
    else throw new WireError(`there is no wire type ${wireType}`);
  }

  /** Skips the next field and returns its start. */
  #pass(): number {
    const length = this.whole();
    const start = this.#at;
    this.#advance(length);
    return start;
  }

  #advance(length: number): void {
    const at = this.#at + length;
    if (length < 0 || at > this.#end) throw new WireError('a message ends too early');
    this.#at = at;
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new WireError('a message ends too early');
    return this.#bytes[this.#at++] ?? 0;
  }
}
