import { constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { Parts } from './parts.ts';

/** Kinds of frames of HTTP/2. */
export const DATA = 0;
export const RST_STREAM = 3;

const HEADERS = 1;
const SETTINGS = 4;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export interface Frame {
  readonly kind: number;
  readonly isLast: boolean;
}

/** What every side says first. */
export const settings = frame(SETTINGS, 0, 0, '');

/** A client that has sent a request, byte by byte as a client of Node would not: with a body, only the beginning of it. */
export function sendBeginning(parts: Parts, port: number, method: string, body?: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  parts.also(() => void socket.destroy());
  const { NGHTTP2_FLAG_END_HEADERS, NGHTTP2_FLAG_END_STREAM } = constants;
  const flags = NGHTTP2_FLAG_END_HEADERS | (body === undefined ? NGHTTP2_FLAG_END_STREAM : 0);
  const pairs = { ':method': method, ':path': '/', ':scheme': 'http', ':authority': 'x' };
  const fields = Object.entries(pairs).map(([name, value]) => `\0${sized(name)}${sized(value)}`);
  const data = body === undefined ? [] : [frame(DATA, 0, 1, body)];
  socket.write(Buffer.concat([Buffer.from(PREFACE), settings, frame(HEADERS, flags, 1, fields.join('')), ...data]));
  return socket;
}

/** Says that the request of {@link sendBeginning} is off. */
export function reset(socket: Socket, code: number): void {
  socket.write(frame(RST_STREAM, 0, 1, `\0\0\0${String.fromCharCode(code)}`));
}

/** The frames that a client has sent, of those that are whole. */
export function framesOf(heard: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  let at = PREFACE.length;
  while (at + 9 <= heard.length && at + 9 + heard.readUIntBE(at, 3) <= heard.length) {
    const flags = heard[at + 4] ?? 0;
    frames.push({ kind: heard[at + 3] ?? 0, isLast: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0 });
    at += 9 + heard.readUIntBE(at, 3);
  }
  return frames;
}

/** One HTTP/2 frame; the payload is Latin-1 text. */
export function frame(kind: number, flags: number, stream: number, payload: string): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([kind, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload, 'latin1')]);
}

/** A text behind its length in one byte, as HPACK writes literals. */
export function sized(text: string): string {
  return String.fromCharCode(text.length) + text;
}
