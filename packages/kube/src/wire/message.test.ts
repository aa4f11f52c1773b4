import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtRandom } from '../testing/random-chunks.ts';
import { encodeMessage, frame, lengthDelimited, tag, varint } from '../testing/wire-encoder.ts';
import { readEvent, statusText } from './envelope.ts';
import { FrameSplitter } from './frames.ts';
import { readMessage } from './message.ts';
import { WireError } from './reader.ts';
import { METADATA, type Shape, shapeOf } from './shape.ts';

const INNER = shapeOf({ 1: { name: 'name', type: 'text' }, 15: { name: 'count', type: 'whole' } });
const SHAPE: Shape = shapeOf({
  1: { name: 'text', type: 'text' },
  2: { name: 'texts', type: 'texts' },
  3: { name: 'whole', type: 'whole' },
  4: { name: 'flag', type: 'flag' },
  5: { name: 'map', type: 'map' },
  6: { name: 'message', type: 'message', shape: INNER },
  17: { name: 'messages', type: 'messages', shape: INNER },
});

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const whole = fc.oneof(fc.integer(), fc.maxSafeInteger());
const inner = fc.record({ name: text, count: whole }, { requiredKeys: [] });
const value = fc.record(
  {
    text,
    texts: fc.array(text, { minLength: 1 }),
    whole,
    flag: fc.boolean(),
    map: fc.dictionary(fc.oneof(text, fc.constant('__proto__')), fc.string({ unit: 'grapheme' }), { minKeys: 1 }),
    message: inner,
    messages: fc.array(inner, { minLength: 1 }),
  },
  { requiredKeys: [] },
);

describe('a message', () => {
  it('is read as it was written, whatever stands between that is not asked for', () => {
    const unknown = Buffer.concat([
      Buffer.concat([tag(9, 0), varint(300)]),
      Buffer.concat([tag(10, 1), Buffer.alloc(8, 0xff)]),
      Buffer.concat([tag(11, 5), Buffer.alloc(4, 0xff)]),
      lengthDelimited(1000, Buffer.from('whatever')),
    ]);
    fc.assert(
      fc.property(value, (written) => {
        const bytes = encodeMessage(written, SHAPE);
        expect(readMessage(bytes, SHAPE)).toEqual(written);
        expect(readMessage(Buffer.concat([unknown, bytes, unknown]), SHAPE)).toEqual(written);
      }),
    );
  });

  it('has no empty texts, and null for a time that is not set or that no calendar has', () => {
    const shape = shapeOf({ 1: { name: 'text', type: 'text' }, 8: { name: 'at', type: 'time' } });
    const time = Buffer.concat([tag(1, 0), varint(1_767_323_045), tag(2, 0), varint(0)]);
    expect(readMessage(Buffer.concat([lengthDelimited(1, Buffer.alloc(0))]), shape)).toEqual({});
    expect(readMessage(lengthDelimited(8, Buffer.alloc(0)), shape)).toEqual({ at: null });
    expect(readMessage(lengthDelimited(8, time), shape)).toEqual({ at: '2026-01-02T03:04:05Z' });
    const nanoseconds = Buffer.concat([tag(1, 0), varint(1_767_323_045_000_000_000)]);
    expect(readMessage(lengthDelimited(8, nanoseconds), shape)).toEqual({ at: null });
  });

  it('takes the fields of an inline message for its own', () => {
    const shape = shapeOf({ 1: { name: 'reference', type: 'inline', shape: INNER }, 2: { name: 'key', type: 'text' } });
    const bytes = Buffer.concat([
      lengthDelimited(1, lengthDelimited(1, Buffer.from('a'))),
      lengthDelimited(2, Buffer.from('k')),
    ]);
    expect(readMessage(bytes, shape)).toEqual({ name: 'a', key: 'k' });
  });

  it('that breaks off is an error, or ends between two fields; it never hangs or reads on', () => {
    const bytes = encodeMessage({ text: 'abc', whole: 300, message: { name: 'x' }, map: { a: 'b' } }, SHAPE);
    const outcomes = new Set<string>();
    for (let end = 0; end < bytes.length; end += 1) {
      try {
        outcomes.add(Object.keys(readMessage(bytes.subarray(0, end), SHAPE)).length < 4 ? 'less' : 'all');
      } catch (error) {
        outcomes.add(error instanceof WireError ? 'refused' : String(error));
      }
    }
    expect(outcomes).toEqual(new Set(['less', 'refused']));
  });

  it.each<[string, Buffer, string]>([
    ['a number without end', Buffer.concat([tag(3, 0), Buffer.alloc(11, 0xff)]), 'a number does not end'],
    ['a length beyond the end', Buffer.from([0x0a, 0x7f, 0x61]), 'a message ends too early'],
    ['a negative length', Buffer.concat([tag(1, 2), varint(-5)]), 'a message ends too early'],
    ['a wire type that there is not', tag(100, 3), 'there is no wire type 3'],
    ['a field of another type', Buffer.concat([tag(1, 0), varint(1)]), 'field text has the wire type 0'],
  ])('with %s is refused', (_, bytes, message) => {
    expect(() => readMessage(bytes, SHAPE)).toThrow(message);
  });
});

describe('frames', () => {
  it('come out as they went in, wherever the chunks were cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.infiniteStream(fc.nat(12)), (written, cuts) => {
        const splitter = new FrameSplitter();
        const stream = Buffer.concat(written.map((bytes) => frame(Buffer.from(bytes))));
        const read = cutAtRandom(stream, cuts).flatMap((chunk) => splitter.push(chunk));
        expect(read.map((each) => [...each])).toEqual(written.map((each) => [...each]));
        expect(splitter.rest()).toBeUndefined();
      }),
    );
  });

  it('tell of one that did not come to its end', () => {
    const splitter = new FrameSplitter();
    expect(splitter.push(Buffer.from([0, 0, 0, 2, 1]))).toEqual([]);
    expect(splitter.rest()).toEqual(Buffer.from([0, 0, 0, 2, 1]));
  });
});

describe('an object', () => {
  const object = shapeOf({ 1: METADATA });

  it('that does not begin as it should is refused', () => {
    expect(() => readEvent(lengthDelimited(1, Buffer.from('ADDED')), object)).toThrow('does not begin as it should');
  });

  it('that is a refusal is told in JSON; one that cannot be read has no words', () => {
    expect(statusText(Buffer.from('nothing of the kind'))).toBe('');
  });
});
