import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from './yaml.tsx';

describe('toYaml()', () => {
  it('writes nested objects and lists', () => {
    expect(toYaml({ a: 1, b: [{ c: 'x', d: [] }], e: {} })).toBe('\na: 1\nb:\n- c: x\n  d: []\ne: {}');
  });

  it('is read back as the same value', () => {
    fc.assert(
      fc.property(fc.object({ values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(parse(toYaml(plain).trimStart())).toEqual(plain);
      }),
    );
  });
});
