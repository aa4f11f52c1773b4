import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isSameJson } from './canonical-json.ts';

const leaf = fc.oneof(fc.constantFrom(null, undefined, '', 0, '0', false, 'a'), fc.integer({ max: 2, min: 0 }));
const key = fc.constantFrom('a', 'b', 'toString', '__proto__');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(key, tie('value'))),
}));

describe('two values are the same', () => {
  it('just when their canonical texts are', () => {
    const isSame = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isSameJson(a, b)).toBe(isSame(a, b));
        expect(isSameJson(a, structuredClone(a))).toBe(true);
        expect(isSameJson({ a, b }, { b, a })).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it.each<[string, unknown, unknown, boolean]>([
    ['in whatever order their members are', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ['where one has what the other has as null', { a: 1, b: null }, { a: 1 }, true],
    ['not where a list has another order', [1, 2], [2, 1], false],
    ['not where a list is longer by an empty place', [1], [1, null], false],
    ['not where only one is a list', [], {}, false],
    ['not where one has more', { a: 1 }, { a: 1, b: 2 }, false],
    ['not where a number is a text', 1, '1', false],
  ])('%s', (_, a, b, expected) => {
    expect(isSameJson(a, b)).toBe(expected);
    expect(isSameJson(b, a)).toBe(expected);
  });
});
