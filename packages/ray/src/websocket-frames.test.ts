import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientFrame, FrameReader } from './websocket-frames.ts';

/** A frame as a server sends it. */
function frame(opcode: number, payload: Uint8Array, isLast = true): Buffer {
  const { length } = payload;
  const size = Buffer.alloc(length < 126 ? 1 : length < 65_536 ? 3 : 9);
  size.writeUInt8(length < 126 ? length : length < 65_536 ? 126 : 127);
  if (size.length === 3) size.writeUInt16BE(length, 1);
  if (size.length === 9) size.writeBigUInt64BE(BigInt(length), 1);
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode]), size, payload]);
}

describe('frames', () => {
  test('come out whole however the bytes are cut', () => {
    const message = fc.string({ maxLength: 300, unit: 'grapheme' });
    fc.assert(
      fc.property(
        fc.array(fc.array(message, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 90 })),
        (messages, cuts) => {
          const bytes = Buffer.concat(
            messages.flatMap((parts) =>
              parts.flatMap((part, index) => [
                frame(index === 0 ? 1 : 0, Buffer.from(part), index === parts.length - 1),
                // A control frame may come between the parts of a message.
                frame(9, Buffer.from('p')),
              ]),
            ),
          );
          const reader = new FrameReader(10_000);
          const texts: string[] = [];
          for (let at = 0; at < bytes.length; ) {
            const size = cuts.next().value as number;
            for (const each of reader.push(bytes.subarray(at, at + size)))
              if (each.kind === 'text') texts.push(each.text);
            at += size;
          }
          expect(texts).toEqual(messages.map((parts) => parts.join('')));
        },
      ),
    );
  });

  test.each([[125], [126], [65_535], [65_536]])('of %i bytes are read', (length) => {
    expect(new FrameReader(70_000).push(frame(1, Buffer.alloc(length, 'x')))).toEqual([
      { kind: 'text', text: 'x'.repeat(length) },
    ]);
  });

  test('beyond the bound are refused before they are read, also in parts', () => {
    expect(() => new FrameReader(100).push(Buffer.from([0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0]))).toThrow(
      'a message is longer than 100 bytes',
    );
    const reader = new FrameReader(100);
    reader.push(frame(1, Buffer.alloc(80), false));
    expect(() => reader.push(frame(0, Buffer.alloc(80)))).toThrow('a message is longer than 100 bytes');
  });

  test('tell how the stream was closed', () => {
    const payload = Buffer.concat([Buffer.from([0x03, 0xe8]), Buffer.from('bye')]);
    expect(new FrameReader(100).push(frame(8, payload))).toEqual([{ kind: 'close', code: 1000, reason: 'bye' }]);
    expect(new FrameReader(100).push(frame(8, Buffer.alloc(0)))).toEqual([{ kind: 'close', code: 1005, reason: '' }]);
  });

  test('that no server may send are refused', () => {
    expect(() => new FrameReader(100).push(Buffer.from('HTTP/1.1 200 OK'))).toThrow('does not speak WebSocket');
  });

  test('of ours are masked, as a client has to', () => {
    expect([...clientFrame('pong', Buffer.from('hi'))]).toEqual([0x8a, 0x82, 0, 0, 0, 0, 104, 105]);
  });
});
