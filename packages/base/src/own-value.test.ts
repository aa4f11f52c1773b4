import { describe, expect, it } from 'vitest';
import { ownValue } from './own-value.ts';

describe('ownValue()', () => {
  it('gives the value under a key', () => {
    expect(ownValue({ a: 1 }, 'a')).toBe(1);
    expect(ownValue(JSON.parse('{"__proto__":1}'), '__proto__')).toBe(1);
  });

  it.each(['constructor', 'valueOf', '__proto__', 'b'])(
    'gives undefined for "%s", which the map does not hold',
    (key) => {
      expect(ownValue({ a: 1 }, key)).toBeUndefined();
    },
  );

  it('gives undefined for an absent map', () => {
    expect(ownValue(undefined, 'a')).toBeUndefined();
    expect(ownValue(null, 'a')).toBeUndefined();
  });
});
