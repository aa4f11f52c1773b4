import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import { applyJsonPatch, jsonPatchWarnings } from './json.ts';

const document = { data: { a: '1', n: null }, list: ['q', 'r'] };

/** Applies; gives the refusal, if any. */
function attempt(given: Json, operations: unknown): StatusError | undefined {
  try {
    applyJsonPatch(given, operations);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

function refusal(operations: unknown): readonly unknown[] {
  const error = attempt(document, operations);
  return [error?.code, error?.reason, error?.message];
}

describe('applyJsonPatch()', () => {
  const changes: Readonly<Record<string, readonly [unknown, Json]>> = {
    'null is a patch without operations': [null, document],
    'add sets a key': [
      [{ op: 'add', path: '/data/b', value: '2' }],
      { ...document, data: { a: '1', n: null, b: '2' } },
    ],
    'add without a value sets null': [[{ op: 'add', path: '/data/a' }], { ...document, data: { a: null, n: null } }],
    'whatever stands before the first slash is ignored': [
      [{ op: 'add', path: 'data/b', value: 1 }],
      { ...document, b: 1 },
    ],
    'add inserts before an index': [
      [{ op: 'add', path: '/list/0', value: 'p' }],
      { ...document, list: ['p', 'q', 'r'] },
    ],
    'add appends at the end': [[{ op: 'add', path: '/list/-', value: 's' }], { ...document, list: ['q', 'r', 's'] }],
    'indexes may be negative': [[{ op: 'add', path: '/list/-1', value: 's' }], { ...document, list: ['q', 'r', 's'] }],
    'indexes may have a sign and zeros': [[{ op: 'remove', path: '/list/+01' }], { ...document, list: ['q'] }],
    'replace sets a key that was not there': [
      [{ op: 'replace', path: '/data/z', value: 1 }],
      { ...document, data: { a: '1', n: null, z: 1 } },
    ],
    'replace takes the whole document': [[{ op: 'replace', path: '', value: { x: 1 } }], { x: 1 }],
    'move takes the value along': [
      [{ op: 'move', from: '/data/a', path: '/list/0' }],
      { data: { n: null }, list: ['1', 'q', 'r'] },
    ],
    'copy of a missing key copies null': [[{ op: 'copy', from: '/data/zz', path: '/b' }], { ...document, b: null }],
    'test takes null for a missing key': [[{ op: 'test', path: '/data/zz', value: null }], document],
    'test compares structures': [[{ op: 'test', path: '/data', value: { n: null, a: '1' } }], document],
    'slashes and tildes are escaped': [
      [
        { op: 'add', path: '/data/a~1b', value: 1 },
        { op: 'remove', path: '/data/a' },
        { op: 'add', path: '/data/c~0d', value: 2 },
      ],
      { ...document, data: { n: null, 'a/b': 1, 'c~d': 2 } },
    ],
  };
  it.each(Object.entries(changes))('%s', (_, [operations, expected]) => {
    expect(applyJsonPatch(document, operations)).toEqual(expected);
  });

  const doesNotApply: Readonly<Record<string, unknown>> = {
    'a missing path': [{ op: 'add', path: '/zz/b', value: 1 }],
    'a path into a scalar': [{ op: 'add', path: '/data/a/b', value: 1 }],
    'a path into null': [{ op: 'add', path: '/data/n/b', value: 1 }],
    'removing what is not there': [{ op: 'remove', path: '/data/zz' }],
    'removing the document': [{ op: 'remove', path: '' }],
    'adding the document': [{ op: 'add', path: '', value: {} }],
    'replacing the document by a scalar': [{ op: 'replace', path: '', value: 'x' }],
    'an index past the end': [{ op: 'replace', path: '/list/2', value: 1 }],
    'an index before the beginning': [{ op: 'add', path: '/list/-4', value: 1 }],
    'an index that is no number': [{ op: 'add', path: '/list/x', value: 1 }],
    'a move to nowhere': [{ op: 'move', from: '/data/a', path: '/zz/y' }],
    'a test that fails': [{ op: 'test', path: '/data/a', value: '2' }],
    'a test of a list against a list with null': [{ op: 'test', path: '/list', value: [null] }],
    'an unknown operation': [{ op: 'frob', path: '/data/a' }],
    'an operation without anything': [{}],
    'null for an operation': [null],
    'an operation without a path': [{ op: 'add' }],
  };
  it.each(Object.entries(doesNotApply))('%s is refused without saying why', (_, operations) => {
    expect(refusal(operations)).toEqual([
      422,
      'Invalid',
      'the server rejected our request due to an error in our request',
    ]);
  });

  const unreadable: Readonly<Record<string, unknown>> = {
    'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp': {},
    'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp': 'x',
    'json: cannot unmarshal number into Go value of type handlers.jsonPatchOp': [1],
    'json: cannot unmarshal array into Go value of type handlers.jsonPatchOp': [[]],
    'json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string': [{ op: 1, path: '/a' }],
    'json: cannot unmarshal bool into Go struct field jsonPatchOp.path of type string': [{ op: 'add', path: true }],
    'json: cannot unmarshal number into Go struct field jsonPatchOp.from of type string': [
      { op: 'add', path: '/a', from: 5 },
    ],
  };
  it.each(Object.entries(unreadable))('says "%s"', (message, operations) => {
    expect(refusal(operations)).toEqual([400, 'BadRequest', `error decoding patch: ${message}`]);
  });

  it('refuses more than ten thousand operations', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' }));
    expect(refusal(operations)).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity is too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
  });

  it('does not let copies of copies grow without bound', () => {
    const operations = Array.from({ length: 64 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/x${i}` }));
    expect(refusal(operations)[0]).toBe(422);
  });

  it('leaves the document that it was given as it was', () => {
    const any = fc.jsonValue() as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(any, fc.constantFrom('/a', '/a/0', '/', '/0', '/a/b'), any, (given, path, value) => {
        const before = structuredClone(given);
        attempt(given, [{ op: 'add', path, value }]);
        expect(given).toEqual(before);
      }),
    );
  });
});

describe('jsonPatchWarnings()', () => {
  it('names the fields that operations do not have', () => {
    const operations = [{ op: 'add', path: '/a', extra: 1 }, { op: 'add', path: '/b', Path: 2 }, null];
    expect(jsonPatchWarnings(operations)).toEqual([
      'json patch unknown field "[0].extra"',
      'json patch unknown field "[1].Path"',
    ]);
    expect(jsonPatchWarnings('x')).toEqual([]);
  });
});
