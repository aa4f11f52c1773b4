import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { sha256 } from './sha256.ts';

describe('sha256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('of %j is the published one', (text, digest) => {
    expect(sha256(text)).toBe(digest);
  });

  it.each([54, 55, 56, 63, 64, 65, 119, 120, 1000])('pads a message of %d bytes rightly', (length) => {
    const text = 'x'.repeat(length);
    expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('agrees with Node on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });
});

describe('canonical JSON', () => {
  it('orders keys, and leaves out what is null', () => {
    expect(canonicalJson({ b: [1, null, { z: undefined, y: 'ä"' }], a: { d: true, c: null } })).toBe(
      '{"a":{"d":true},"b":[1,null,{"y":"ä\\""}]}',
    );
  });

  it('is JSON of the same value', () => {
    const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('null'));
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
