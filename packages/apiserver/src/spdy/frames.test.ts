import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTROL, controlFrame, dataFrame, type Frame, FrameReader } from './frames.ts';

const anyFrame = fc.oneof(
  fc.tuple(fc.nat({ max: 0x7fff_ffff }), fc.uint8Array(), fc.boolean()).map((parts) => dataFrame(...parts)),
  fc.tuple(fc.constantFrom(...Object.values(CONTROL)), fc.uint8Array()).map(([type, body]) => controlFrame(type, body)),
);

/** Reads pieces of a connection, and joins the parts of each data frame. */
function framesIn(pieces: readonly Uint8Array[]): readonly Frame[] {
  const reader = new FrameReader();
  return pieces.flatMap((piece) => [...reader.read(Buffer.from(piece))]);
}

/** What a stream gets, whatever frames it came in. */
function contentsOf(frames: readonly Frame[]): unknown {
  const streams = new Map<number, { bytes: Buffer; lasts: number }>();
  const controls: Frame[] = [];
  for (const frame of frames) {
    if (frame.kind === 'control') controls.push(frame);
    else {
      const { bytes, lasts } = streams.get(frame.stream) ?? { bytes: Buffer.alloc(0), lasts: 0 };
      streams.set(frame.stream, {
        bytes: Buffer.concat([bytes, frame.body]),
        lasts: lasts + (frame.isLast ? 1 : 0),
      });
    }
  }
  return { streams, controls };
}

describe('FrameReader', () => {
  it('reads the same, however the network cuts the bytes', () => {
    fc.assert(
      fc.property(fc.array(anyFrame), fc.integer({ min: 1, max: 20 }), (frames, size) => {
        const all = Buffer.concat(frames);
        const cut = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
          all.subarray(i * size, (i + 1) * size),
        );
        const whole = framesIn(frames);
        expect(whole).toHaveLength(frames.length);
        expect(contentsOf(framesIn(cut))).toEqual(contentsOf(whole));
        expect(framesIn([all])).toEqual(whole);
      }),
    );
  });

  it('gives the stream, the bytes and the end of a data frame', () => {
    expect(framesIn([dataFrame(7, Buffer.from('hi'), true)])).toEqual([
      { kind: 'data', stream: 7, isLast: true, body: Buffer.from('hi') },
    ]);
    expect(controlFrame(CONTROL.ping, 5).toString('hex')).toBe('800300060000000400000005');
  });

  it('keeps no byte of a data frame, however large the frame is', () => {
    const reader = new FrameReader();
    const header = dataFrame(1, Buffer.alloc(0), true);
    header.writeUIntBE(0xff_ffff, 5, 3);
    expect([...reader.read(header)]).toEqual([]);
    const chunk = Buffer.alloc(1000);
    for (const part of [...reader.read(chunk), ...reader.read(chunk)])
      expect(part).toEqual({ kind: 'data', stream: 1, isLast: false, body: chunk });
    const [last] = reader.read(Buffer.alloc(0xff_ffff - 2000));
    expect(last).toMatchObject({ kind: 'data', isLast: true });
  });

  it('refuses a control frame over the limit by its length, before its bytes arrive', () => {
    const frame = controlFrame(CONTROL.synStream, Buffer.alloc(16 * 1024 + 1));
    expect(() => framesIn([frame.subarray(0, 8)])).toThrow('a control frame has 16385 bytes, the limit is 16384');
  });
});
