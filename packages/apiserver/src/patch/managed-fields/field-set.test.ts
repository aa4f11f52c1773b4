import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  differenceBelow,
  type FieldSet,
  fieldSet,
  hasPath,
  intersection,
  isEmptySet,
  pathsOf,
  union,
} from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';
import { keyElement, pathText, valueElement } from './path-element.ts';

const step = fc.constantFrom('f:a', 'f:b', keyElement({ name: 'x', at: 1 }), valueElement('v'), valueElement(2));
const paths = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
const sets = paths.map((list) => fieldSet(...list));
const texts = (set: FieldSet) => new Set(pathsOf(set).map((path) => JSON.stringify(path)));

describe('field sets', () => {
  it('are unions, intersections and differences of their paths', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(texts(union(a, b))).toEqual(texts(a).union(texts(b)));
        expect(texts(intersection(a, b))).toEqual(texts(a).intersection(texts(b)));
        expect(texts(difference(a, b))).toEqual(texts(a).difference(texts(b)));
      }),
    );
  });

  it('lose a path and all that is below it where the difference goes deep', () => {
    fc.assert(
      fc.property(sets, paths, (set, removed) => {
        const left = differenceBelow(set, fieldSet(...removed));
        const isBelow = (path: readonly string[]) =>
          removed.some((prefix) => prefix.every((each, i) => path[i] === each));
        expect(texts(left)).toEqual(
          new Set(
            pathsOf(set)
              .filter((path) => !isBelow(path))
              .map((path) => JSON.stringify(path)),
          ),
        );
      }),
    );
  });

  it('survive fieldsV1', () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(texts(decodeFieldsV1(encodeFieldsV1(set)))).toEqual(texts(set));
      }),
    );
  });

  it('know their paths', () => {
    fc.assert(
      fc.property(paths, (list) => {
        const set = fieldSet(...list);
        expect(list.every((path) => hasPath(set, path))).toBe(true);
        expect(isEmptySet(set)).toBe(list.length === 0);
      }),
    );
  });

  it('list fields before keyed items, then values, each in order', () => {
    const set = fieldSet(
      ['f:b'],
      ['f:a', 'f:z'],
      ['f:a', 'k:{"n":2}'],
      ['f:a', 'k:{"n":10}'],
      ['f:a', 'v:"x"'],
      ['f:a', 'v:3'],
    );
    expect(pathsOf(set).map(pathText)).toEqual(['.b', '.a.z', '.a[n=2]', '.a[n=10]', '.a[=3]', '.a[="x"]']);
  });
});

describe('fieldsV1', () => {
  it('marks a path that goes on with a dot', () => {
    expect(encodeFieldsV1(fieldSet(['f:a'], ['f:a', 'f:b'], ['f:c', 'f:d']))).toEqual({
      'f:a': { '.': {}, 'f:b': {} },
      'f:c': { 'f:d': {} },
    });
  });

  it('is read whatever the order of keys, and without steps that nobody knows', () => {
    const set = decodeFieldsV1({ 'f:a': { 'k:{"b":1,"a":2}': {}, 'z:what': {} } });
    expect(pathsOf(set).map(pathText)).toEqual(['.a[a=2,b=1]']);
  });

  it('refuses broken steps', () => {
    expect(() => decodeFieldsV1({ 'v:{': {} })).toThrow(SyntaxError);
  });
});
