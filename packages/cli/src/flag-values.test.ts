import { describe, expect, it } from 'vitest';
import { byteCount, duration } from './flag-values.ts';

describe('duration()', () => {
  it.each([
    ['0', 0],
    ['10', 10_000],
    ['1h30m', 5_400_000],
    ['300ms', 300],
    ['10000h', 2 ** 31 - 1],
  ])('reads %s', (text, ms) => {
    expect(duration(text)).toBe(ms);
  });

  it.each(['', '-5s', '5 minutes', 'x'])('refuses "%s"', (text) => {
    expect(() => duration(text)).toThrow('is not a duration');
  });
});

describe('byteCount()', () => {
  it('reads sizes over 2 GiB', () => {
    expect(byteCount('8589934592')).toBe(8_589_934_592);
  });

  it.each(['', '-1', '1.5', '4Gi', '99999999999999999999'])('refuses "%s"', (text) => {
    expect(() => byteCount(text)).toThrow('is not a number of bytes');
  });
});
