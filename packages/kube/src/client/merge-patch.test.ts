import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

// Nulls can't be written by a merge patch, so the documents have none.
const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom('a', 'b', 'c', 'toString', 'constructor'), fc.string()),
    tie('value'),
    { maxKeys: 4 },
  ),
})).object;

test('applying the patch between two objects to the first gives the second', () => {
  fc.assert(
    fc.property(document, document, (from, to) => {
      const patch = createMergePatch(from, to);
      expect(patch === undefined ? from : applyMergePatch(from, patch)).toEqual(to);
    }),
  );
});

test('there is no patch between equal objects', () => {
  fc.assert(
    fc.property(document, (value) => {
      expect(createMergePatch(value, structuredClone(value))).toBeUndefined();
    }),
  );
});

describe('a patch holds what changed and nothing else', () => {
  test.each([
    ['a changed field', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
    ['a removed field', { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1 } }, { b: { d: null } }],
    ['a field set to undefined is removed', { a: 1, b: 2 }, { a: 1, b: undefined }, { b: null }],
    ['a list is replaced whole', { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ['an equal list of objects is left alone', { a: [{ x: 1 }], b: 1 }, { a: [{ x: 1 }], b: 2 }, { b: 2 }],
    ['an object that becomes a text', { a: { b: 1 } }, { a: 'x' }, { a: 'x' }],
    ['an empty object that appears', {}, { a: {} }, { a: {} }],
  ])('%s', (_, from, to, patch) => {
    expect(createMergePatch(from, to)).toEqual(patch);
  });
});

describe('the examples of RFC 7386', () => {
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j gives %j', (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });
});
