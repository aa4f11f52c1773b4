import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual } from './deep-equal.ts';

describe('structural equality', () => {
  it('finds what serialises alike equal, whatever the order of its keys', () => {
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .toReversed()
                .map(([key, inner]) => [key, turned(inner)]),
            )
          : value;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(deepEqual(value, turned(value))).toBe(true);
      }),
    );
  });

  it.each<[string, unknown, unknown]>([
    ['a key more on the left', { a: 1, b: 2 }, { a: 1 }],
    ['a key more on the right', { a: 1 }, { a: 1, b: 2 }],
    ['another key', { a: 1 }, { b: 1 }],
    ['null is not absence', { a: null }, {}],
    ['absence is not null', {}, { a: null }],
    ['a list is not an object', [], {}],
    ['an item more', [1], [1, 2]],
    ['another value deep inside', { a: [{ b: { c: 1 } }] }, { a: [{ b: { c: 2 } }] }],
  ])('tells apart: %s', (_, a, b) => {
    expect(deepEqual(a, b)).toBe(false);
  });

  it('takes an undefined value for absence, on either side', () => {
    expect(deepEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(deepEqual({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(deepEqual({ a: undefined, b: 1 }, { b: 1, c: undefined })).toBe(true);
  });

  it('compares each pair of values once, however deep they lie', () => {
    let reads = 0;
    const deep = (depth: number): object =>
      Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          reads += 1;
          return depth === 0 ? 1 : deep(depth - 1);
        },
      });
    expect(deepEqual(deep(40), deep(40))).toBe(true);
    expect(reads).toBe(82);
  });
});
