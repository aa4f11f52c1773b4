import { POD_PROXY_LIMITS } from '@manta/base';

/** A frame of SPDY/3, or a part of one: bytes of a stream, or a control frame with its type. */
export type Frame =
  | { readonly kind: 'data'; readonly stream: number; readonly isLast: boolean; readonly body: Buffer }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly body: Buffer };

/** The types of control frames that are acted upon. */
export const CONTROL = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;

/** Marks the last frame of a stream. */
export const FLAG_LAST = 1;

const HEADER_BYTES = 8;
const CONTROL_BIT = 0x8000_0000;
const VERSION = 3;

/** What the header of a frame says about the bytes that follow it. */
type Header =
  | { readonly kind: 'data'; readonly stream: number; readonly isLast: boolean; readonly length: number }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly length: number };

/**
 * Cuts the bytes of a connection into frames. Bytes of a data frame are given as they arrive, one frame for each chunk, and only the last has
 * `isLast`; control frames, which are short, wait until they are complete. Throws at a control frame that is too long.
 */
export class FrameReader {
  /** The header of the frame whose bytes come now; undefined while a header is awaited. */
  #header: Header | undefined;
  /** Bytes of a header or control frame that is not complete. */
  #parts: Buffer[] = [];
  /** Bytes that are missing of a header, a control frame or a data frame. */
  #missing = HEADER_BYTES;

  *read(chunk: Buffer): Generator<Frame> {
    for (let rest = chunk; rest.length > 0; ) {
      const bytes = rest.subarray(0, this.#missing);
      rest = rest.subarray(bytes.length);
      this.#missing -= bytes.length;
      const taken = this.#take(bytes);
      if (taken !== undefined) yield taken;
    }
  }

  #take(bytes: Buffer): Frame | undefined {
    const isWhole = this.#missing === 0;
    if (this.#header?.kind === 'data') {
      const { stream, isLast } = this.#header;
      if (isWhole) this.#expectHeader();
      return { kind: 'data', stream, isLast: isLast && isWhole, body: bytes };
    }
    this.#parts.push(bytes);
    if (!isWhole) return undefined;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    if (this.#header !== undefined) return this.#control(this.#header, whole);
    const header = parseHeader(whole);
    this.#header = header;
    this.#missing = header.length;
    if (header.length > 0) return undefined;
    // Nothing follows such a header.
    return header.kind === 'data' ? this.#take(Buffer.alloc(0)) : this.#control(header, Buffer.alloc(0));
  }

  #control({ type, flags }: Extract<Header, { kind: 'control' }>, body: Buffer): Frame {
    this.#expectHeader();
    return { kind: 'control', type, flags, body };
  }

  #expectHeader(): void {
    this.#header = undefined;
    this.#missing = HEADER_BYTES;
  }
}

function parseHeader(bytes: Buffer): Header {
  const [first, flags, length] = [bytes.readUInt32BE(0), bytes.readUInt8(4), bytes.readUIntBE(5, 3)];
  if (first < CONTROL_BIT) return { kind: 'data', stream: first, isLast: (flags & FLAG_LAST) !== 0, length };
  if (length > POD_PROXY_LIMITS.spdyHeaderBytes)
    throw new Error(`a control frame has ${length} bytes, the limit is ${POD_PROXY_LIMITS.spdyHeaderBytes}`);
  return { kind: 'control', type: first & 0xffff, flags, length };
}

/** Bytes of a stream as a frame. */
export function dataFrame(stream: number, body: Uint8Array, isLast = false): Buffer {
  return frame(stream, isLast ? FLAG_LAST : 0, body);
}

/** Status of a `rstStream` frame: the server refuses the stream before it has done anything for it. */
export const REFUSED_STREAM = 3;

/** A control frame. */
export function controlFrame(type: number, ...body: readonly (number | Uint8Array)[]): Buffer {
  const parts = body.map((part) => (typeof part === 'number' ? fourBytes(part) : part));
  return frame((CONTROL_BIT | (VERSION << 16) | type) >>> 0, 0, Buffer.concat(parts));
}

function frame(first: number, flags: number, body: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(first, 0);
  header.writeUInt8(flags, 4);
  header.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([header, body]);
}

function fourBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
