/** A whole message, or a control frame, of a WebSocket. */
export type Frame =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'ping'; readonly payload: Buffer }
  | { readonly kind: 'close'; readonly code: number; readonly reason: string };

const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
/** The code that stands for "closed without saying why". */
const NO_CODE = 1005;

/** Reads the frames that a server sends, from bytes as they come. Throws when a message is longer than the bound, or is no WebSocket at all. */
export class FrameReader {
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #partBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The frames that these bytes complete. */
  push(bytes: Uint8Array): readonly Frame[] {
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#buffer, bytes]);
    const frames: Frame[] = [];
    for (let header = this.#header(); header !== undefined; header = this.#header()) {
      const end = header.start + header.length;
      if (this.#buffer.length < end) break;
      const payload = this.#buffer.subarray(header.start, end);
      this.#buffer = this.#buffer.subarray(end);
      const frame = this.#take(header.opcode, header.isLast, payload);
      if (frame !== undefined) frames.push(frame);
    }
    return frames;
  }

  #header():
    | { readonly opcode: number; readonly isLast: boolean; readonly start: number; readonly length: number }
    | undefined {
    const [first, second] = this.#buffer;
    if (first === undefined || second === undefined) return undefined;
    if ((first & 0x70) !== 0 || (second & 0x80) !== 0)
      throw new Error('the other side does not speak WebSocket as it should');
    const short = second & 0x7f;
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (this.#buffer.length < start) return undefined;
    const length =
      short === 126 ? this.#buffer.readUInt16BE(2) : short === 127 ? Number(this.#buffer.readBigUInt64BE(2)) : short;
    if (length + this.#partBytes > this.#maxBytes) throw new Error(`a message is longer than ${this.#maxBytes} bytes`);
    return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, start, length };
  }

  #take(opcode: number, isLast: boolean, payload: Buffer): Frame | undefined {
    if (opcode === OPCODE.ping) return { kind: 'ping', payload };
    if (opcode === OPCODE.pong) return undefined;
    if (opcode === OPCODE.close) {
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : NO_CODE;
      return { kind: 'close', code, reason: payload.subarray(2).toString('utf8') };
    }
    this.#parts.push(payload);
    this.#partBytes += payload.length;
    if (!isLast) return undefined;
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#partBytes = 0;
    return { kind: 'text', text };
  }
}

/** A short frame as a client sends it: masked, here with zeros, since nothing in it is worth hiding from a proxy. */
export function clientFrame(kind: 'pong' | 'close', payload: Uint8Array = new Uint8Array()): Buffer {
  const content = payload.subarray(0, 125);
  return Buffer.concat([Buffer.from([0x80 | OPCODE[kind], 0x80 | content.length, 0, 0, 0, 0]), content]);
}
