import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareResourceVersions, hasReached } from './resource-version.ts';

describe('compareResourceVersions', () => {
  it('orders versions of any length as the integers they are', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.bigInt({ min: 0n, max: 2n ** 80n }), (a, b) => {
        const order = compareResourceVersions(String(a), String(b)) ?? Number.NaN;
        expect(Math.sign(order)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('says nothing about versions that are no numbers', () => {
    expect(compareResourceVersions('abc', '1')).toBeUndefined();
    expect(compareResourceVersions('007', '8')).toBeUndefined();
    expect(compareResourceVersions('abc', 'abc')).toBe(0);
  });
});

describe('hasReached', () => {
  const cases = {
    'nothing seen has reached nothing': [undefined, '5', false],
    'the same version is reached': ['5', '5', true],
    'a longer number is later': ['10', '9', true],
    'an older one is not reached': ['9', '10', false],
    'what cannot be ordered is not reached': ['x', '1', false],
  } as const;
  it.each(Object.entries(cases))('%s', (_title, [seen, wanted, expected]) => {
    expect(hasReached(seen, wanted)).toBe(expected);
  });
});
