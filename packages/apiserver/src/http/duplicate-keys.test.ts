import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateKeys } from './duplicate-keys.ts';

describe('duplicate keys', () => {
  it('are told by their paths, in order', () => {
    const text = '{"a":1,"b":{"x":1,"x":[{"y":1},{"y":1,"y":"}"}]},"a":{"\\u0062":1,"b":2}}';
    expect(duplicateKeys(text)).toEqual(['b.x', 'b.x[1].y', 'a', 'a.b']);
  });

  it('are never found in what a JSON writer wrote', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(duplicateKeys(text)).toEqual([]);
      }),
    );
  });
});
