import { describe, expect, it } from 'vitest';
import { ago, duration } from './duration.ts';

describe('duration()', () => {
  it.each([
    [0, '0 s'],
    [999, '1 s'],
    [65_000, '1 min 5 s'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 1 h'],
    [-5, '0 s'],
  ])('writes %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));
});

describe('ago()', () => {
  it('names the largest unit and its direction', () => {
    expect(ago(0, 125_000)).toBe('2 min ago');
    expect(ago(125_000, 0)).toBe('in 2 min');
  });
});
