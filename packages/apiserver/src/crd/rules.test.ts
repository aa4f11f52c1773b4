import { describe, expect, it } from 'vitest';
import type { Json } from '../object/json.ts';
import type { Schema, ValidationRule } from '../object/schema.ts';
import { compileSchema } from './compile-schema.ts';

function complaints(rule: ValidationRule, spec: Json, old?: Json, schema: Schema = {}): readonly string[] {
  const compiled = compileSchema({
    type: 'object',
    properties: { spec: { type: 'object', ...schema, 'x-kubernetes-validations': [rule] } },
  });
  const causes = compiled.validate({ spec }, old === undefined ? undefined : { spec: old });
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

const numbers: Schema = { properties: { a: { type: 'integer' }, b: { type: 'integer' } } };

describe('a rule', () => {
  it('passes where it is true', () => {
    expect(complaints({ rule: 'self.a < self.b', message: 'a below b' }, { a: 1, b: 2 }, undefined, numbers)).toEqual(
      [],
    );
  });

  it('says its message where it is not, and leaves out the object', () => {
    expect(complaints({ rule: 'self.a < self.b', message: 'a below b' }, { a: 2, b: 1 }, undefined, numbers)).toEqual([
      'spec: Invalid value: a below b',
    ]);
  });

  it.each([
    ['a field of an item', 'has(self.list[0].x)', { list: [{ x: 1 }] }, true],
    ['a field that the item has not', 'has(self.list[0].x)', { list: [{}] }, false],
    [
      'one question within another',
      'has(self.list) && has(self.list[size(self.list) - 1].x.y)',
      { list: [{ x: { y: 1 } }] },
      true,
    ],
    ['two of them', '!has(self.list[0].x) || has(self.list[1].x)', { list: [{ x: 1 }, {}] }, false],
  ])('may ask a list for %s', (_, rule, spec, isFine) => {
    expect(complaints({ rule, message: 'no' }, spec).length === 0).toBe(isFine);
  });

  it('says itself where it has no message', () => {
    expect(complaints({ rule: 'self.a < self.b' }, { a: 2, b: 1 }, undefined, numbers)).toEqual([
      'spec: Invalid value: failed rule: self.a < self.b',
    ]);
  });

  it('computes its message', () => {
    const rule = { rule: 'self.a < 2', messageExpression: '"a is " + string(self.a)', message: 'plain' };
    expect(complaints(rule, { a: 2 }, undefined, numbers)).toEqual(['spec: Invalid value: a is 2']);
  });

  it('falls back to the plain message where the computed one fails', () => {
    const rule = { rule: 'self.a < 2', messageExpression: 'self.x', message: 'plain' };
    expect(complaints(rule, { a: 2 }, undefined, numbers)).toEqual(['spec: Invalid value: plain']);
  });

  it('has its own reason and path', () => {
    const rule: ValidationRule = { rule: 'false', message: 'm', reason: 'FieldValueForbidden', fieldPath: '.a' };
    expect(complaints(rule, { a: 2 }, undefined, numbers)).toEqual(['spec.a: Forbidden: m']);
  });

  it('counts integers as integers and asks for presence', () => {
    expect(complaints({ rule: 'has(self.a) && self.a / 2 == 1' }, { a: 3 }, undefined, numbers)).toEqual([]);
    expect(complaints({ rule: '!has(self.b)' }, { a: 3 }, undefined, numbers)).toEqual([]);
  });

  it('names the field that it misses', () => {
    expect(complaints({ rule: 'self.b == 1', message: 'm' }, { a: 3 }, undefined, numbers)).toEqual([
      'spec: Invalid value: "object": no such key: b evaluating rule: m',
    ]);
  });

  it('is not evaluated where the object is not sound otherwise', () => {
    expect(complaints({ rule: 'false' }, { a: 'x' }, undefined, numbers).at(-1)).toBe(
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
  });

  it('reaches fields with names that CEL cannot write', () => {
    const schema: Schema = { properties: { 'a-b': { type: 'string' }, namespace: { type: 'string' } } };
    const rule = { rule: 'self.a__dash__b == "x" && self.__namespace__ == "y"' };
    expect(complaints(rule, { 'a-b': 'x', namespace: 'y' }, undefined, schema)).toEqual([]);
  });
});

describe('a transition rule', () => {
  const rule = { rule: 'self.a >= oldSelf.a', message: 'must not shrink' };

  it('is silent on creation', () => expect(complaints(rule, { a: 1 }, undefined, numbers)).toEqual([]));

  it('compares with what was', () => {
    expect(complaints(rule, { a: 2 }, { a: 1 }, numbers)).toEqual([]);
    expect(complaints(rule, { a: 1 }, { a: 2 }, numbers)).toEqual(['spec: Invalid value: must not shrink']);
  });

  it('sees an optional old value on creation where it asks for one', () => {
    const optional = { rule: 'oldSelf.hasValue() || self.a == 1', optionalOldSelf: true, message: 'starts at 1' };
    expect(complaints(optional, { a: 1 }, undefined, numbers)).toEqual([]);
    expect(complaints(optional, { a: 2 }, undefined, numbers)).toEqual(['spec: Invalid value: starts at 1']);
  });
});

describe('an unchanged value', () => {
  it('is forgiven a rule that it broke before', () => {
    const rule = { rule: 'self.a < 2', message: 'm' };
    expect(complaints(rule, { a: 5 }, { a: 5 }, numbers)).toEqual([]);
    expect(complaints(rule, { a: 6 }, { a: 5 }, numbers)).toHaveLength(1);
  });
});
