import { POD_PROXY_LIMITS } from '@manta/base';

/** A frame of SPDY/3: bytes of a stream, or a control frame with its type. */
export type Frame =
  | { readonly kind: 'data'; readonly stream: number; readonly isLast: boolean; readonly body: Buffer }
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly body: Buffer };

/** The types of control frames that are acted upon. */
export const CONTROL = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;

/** Says that nothing follows on a stream. */
export const FLAG_LAST = 1;

const HEADER_BYTES = 8;
const CONTROL_BIT = 0x8000_0000;
const VERSION = 3;

/** The first frame of some bytes and what follows it; undefined where it is not whole yet. Throws at a control frame that is too long. */
export function takeFrame(bytes: Buffer): { readonly frame: Frame; readonly rest: Buffer } | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const end = HEADER_BYTES + bytes.readUIntBE(5, 3);
  const [first, flags] = [bytes.readUInt32BE(0), bytes.readUInt8(4)];
  if (first >= CONTROL_BIT && end - HEADER_BYTES > POD_PROXY_LIMITS.spdyHeaderBytes)
    throw new Error(
      `a control frame has ${end - HEADER_BYTES} bytes, the limit is ${POD_PROXY_LIMITS.spdyHeaderBytes}`,
    );
  if (bytes.length < end) return undefined;
  const body = bytes.subarray(HEADER_BYTES, end);
  const rest = bytes.subarray(end);
  if (first < CONTROL_BIT)
    return { frame: { kind: 'data', stream: first, isLast: (flags & FLAG_LAST) !== 0, body }, rest };
  return { frame: { kind: 'control', type: first & 0xffff, flags, body }, rest };
}

/** Bytes of a stream as a frame. */
export function dataFrame(stream: number, body: Uint8Array, isLast = false): Buffer {
  return frame(stream, isLast ? FLAG_LAST : 0, body);
}

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
