import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CONTROL, controlFrame, dataFrame, type Frame, takeFrame } from './frames.ts';

const anyFrame = fc.oneof(
  fc.tuple(fc.nat({ max: 0x7fff_ffff }), fc.uint8Array(), fc.boolean()).map((parts) => dataFrame(...parts)),
  fc.tuple(fc.constantFrom(...Object.values(CONTROL)), fc.uint8Array()).map(([type, body]) => controlFrame(type, body)),
);

function framesIn(pieces: readonly Uint8Array[]): readonly Frame[] {
  const found: Frame[] = [];
  let bytes = Buffer.alloc(0);
  for (const piece of pieces) {
    bytes = Buffer.concat([bytes, piece]);
    for (let next = takeFrame(bytes); next !== undefined; next = takeFrame(bytes)) {
      found.push(next.frame);
      bytes = Buffer.from(next.rest);
    }
  }
  expect(bytes.length).toBe(0);
  return found;
}

it('frames are read the same, however the network cuts them', () => {
  fc.assert(
    fc.property(fc.array(anyFrame), fc.integer({ min: 1, max: 20 }), (frames, size) => {
      const all = Buffer.concat(frames);
      const cut = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
        all.subarray(i * size, (i + 1) * size),
      );
      expect(framesIn(cut)).toEqual(framesIn(frames));
      expect(framesIn(cut)).toHaveLength(frames.length);
    }),
  );
});

it('a frame says whose it is, what it is and whether it is the last', () => {
  expect(takeFrame(dataFrame(7, Buffer.from('hi'), true))?.frame).toEqual({
    kind: 'data',
    stream: 7,
    isLast: true,
    body: Buffer.from('hi'),
  });
  expect(controlFrame(CONTROL.ping, 5).toString('hex')).toBe('800300060000000400000005');
});

it('a control frame over the limit is refused by its length, before its bytes arrive', () => {
  const frame = controlFrame(CONTROL.synStream, Buffer.alloc(16 * 1024 + 1));
  expect(() => takeFrame(frame.subarray(0, 8))).toThrow('a control frame has 16385 bytes, the limit is 16384');
});
