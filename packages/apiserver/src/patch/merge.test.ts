import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../object/json.ts';
import { applyMergePatch } from './merge.ts';

describe('applyMergePatch()', () => {
  const cases: Readonly<Record<string, readonly [JsonObject, JsonObject, JsonObject]>> = {
    'merges objects and replaces everything else': [
      { a: { b: 1, c: [1, 2] }, d: 1 },
      { a: { c: [3] }, e: 2 },
      { a: { b: 1, c: [3] }, d: 1, e: 2 },
    ],
    'removes what is null': [{ a: { b: 1 }, c: 1 }, { a: { b: null }, c: null, d: null }, { a: {} }],
    'takes no nulls into new objects': [{}, { a: { b: null, c: { d: null, e: 1 } } }, { a: { c: { e: 1 } } }],
    'keeps nulls as list items, but not inside them': [
      { a: [1] },
      { a: [null, { b: null, c: 1 }] },
      { a: [null, { c: 1 }] },
    ],
    'replaces an object by a list as it is': [{ a: { b: 1 } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    'replaces a scalar by an object': [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    'does not stumble over names from the prototype': [{}, { constructor: { a: 1 } }, { constructor: { a: 1 } }],
  };
  it.each(Object.entries(cases))('%s', (_, [document, patch, expected]) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });

  const refusals: Readonly<Record<string, unknown>> = {
    'Invalid JSON Patch': null,
    'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}': [],
    'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}': 's',
    'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}': 3,
    'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}': true,
  };
  it.each(Object.entries(refusals))('says "%s"', (message, patch) => {
    expect(() => applyMergePatch({}, patch)).toThrow(
      expect.objectContaining({ code: 400, reason: 'BadRequest', message }),
    );
  });
});
