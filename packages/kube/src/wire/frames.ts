/** The number of bytes of a frame's length. */
const PREFIX = 4;

/** Splits bytes that arrive in any pieces into frames: each is preceded by its length in four bytes. */
export class FrameSplitter {
  #parts: Uint8Array[] = [];
  #length = 0;
  /** How many bytes have to be there before the next look is worth it. */
  #wanted = PREFIX;

  /** The frames that this chunk completes. */
  push(chunk: Uint8Array): Buffer[] {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    return this.#length < this.#wanted ? [] : this.#take();
  }

  /** What is left at the end: the beginning of a frame that has not come to its own. */
  rest(): Buffer | undefined {
    return this.#length === 0 ? undefined : wholeOf(this.#parts);
  }

  #take(): Buffer[] {
    const bytes = wholeOf(this.#parts);
    const frames: Buffer[] = [];
    let at = 0;
    this.#wanted = PREFIX;
    while (bytes.length - at >= PREFIX) {
      const end = at + PREFIX + bytes.readUInt32BE(at);
      if (end > bytes.length) {
        this.#wanted = end - at;
        break;
      }
      frames.push(bytes.subarray(at + PREFIX, end));
      at = end;
    }
    this.#length = bytes.length - at;
    this.#parts = this.#length === 0 ? [] : [bytes.subarray(at)];
    return frames;
  }
}

function wholeOf(parts: readonly Uint8Array[]): Buffer {
  const [first, ...more] = parts;
  if (first === undefined || more.length > 0) return Buffer.concat(parts);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}
