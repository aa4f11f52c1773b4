/** The bytes of one value that began in an earlier chunk; text is made only once the value is whole. */
export class PendingBytes {
  #parts: Uint8Array[] = [];

  add(part: Uint8Array): void {
    if (part.length > 0) this.#parts.push(part);
  }

  /** The text of everything added so far plus `last`; starts over. */
  take(last: Uint8Array): string {
    if (this.#parts.length === 0) return textOf(last);
    this.#parts.push(last);
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    return textOf(whole);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
