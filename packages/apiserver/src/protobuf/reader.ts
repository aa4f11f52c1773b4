/** Reads the wire format of protocol buffers: numbers of varying length, and bytes with their length before them. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next field's number and how its value is written. */
  tag(): { readonly number: number; readonly wire: number } {
    const tag = Number(this.varint());
    return { number: tag >>> 3, wire: tag & 7 };
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined || shift > 63n) throw new WireError('a number is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  bytes(): Uint8Array {
    const length = Number(this.varint());
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new WireError('a value is cut off');
    const value = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return value;
  }

  double(): number {
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, 8);
    this.#at += 8;
    return view.getFloat64(0, true);
  }

  skip(wire: number): void {
    if (wire === 0) this.varint();
    else if (wire === 2) this.bytes();
    else if (wire === 1) this.#at += 8;
    else if (wire === 5) this.#at += 4;
    else throw new WireError(`unknown wire type ${wire}`);
  }
}

/** The bytes are no message. */
export class WireError extends Error {
  override readonly name = 'WireError';
}
