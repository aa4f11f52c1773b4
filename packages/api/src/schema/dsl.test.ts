import { describe, expect, it } from 'vitest';
import {
  bool,
  embedded,
  int,
  list,
  map,
  number,
  object,
  pick,
  quantity,
  rule,
  type Schema,
  string,
  time,
} from './dsl.ts';

const cases: Readonly<Record<string, readonly [Schema, Schema]>> = {
  'plain text': [string(), { type: 'string' }],
  'text with a description, a default and a choice of values': [
    string('Which one.', { default: 'a', enum: ['a', 'b'] }),
    { type: 'string', description: 'Which one.', default: 'a', enum: ['a', 'b'] },
  ],
  'text with a CEL rule': [
    string(undefined, { rules: [rule('self == oldSelf', 'is immutable')] }),
    { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is immutable' }] },
  ],
  'a number of 32 bits with a zero default': [
    int(undefined, { default: 0, minimum: 0 }),
    { type: 'integer', format: 'int32', default: 0, minimum: 0 },
  ],
  'a number of 64 bits': [int(undefined, undefined, 'int64'), { type: 'integer', format: 'int64' }],
  'any number': [number(), { type: 'number' }],
  'true or false': [bool(), { type: 'boolean' }],
  'a time that may be null': [
    time(undefined, { nullable: true }),
    { type: 'string', format: 'date-time', nullable: true },
  ],
  'a list that is replaced as a whole': [
    list(string(), undefined, { isAtomic: true, minItems: 1 }),
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic', minItems: 1 },
  ],
  'a list that is merged by keys': [
    list(object({ name: string() }), undefined, { keys: ['name'] }),
    {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  ],
  'a list without a list type': [list(bool()), { type: 'array', items: { type: 'boolean' } }],
  'a map': [map(string()), { type: 'object', additionalProperties: { type: 'string' } }],
  'an object, its required fields in alphabetical order': [
    object({ b: string(), a: string() }, undefined, { required: ['b', 'a'] }),
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] },
  ],
  'a schema of Kubernetes under a description of ours': [
    embedded({ type: 'object', properties: {} }, 'The pod.'),
    { type: 'object', properties: {}, description: 'The pod.' },
  ],
};

describe('the schema combinators write', () => {
  it.each(Object.entries(cases))('%s', (_, [written, expected]) => {
    expect(written).toStrictEqual(expected);
  });
});

describe('quantity()', () => {
  const { pattern = '' } = quantity();

  it.each(['1', '500m', '1.5Gi', '.5', '+2', '-1', '1e3', '1E-2', '10Ki', '3n', '4u', '7E'])('takes %s', (text) => {
    expect(text).toMatch(new RegExp(pattern));
  });

  it.each(['', 'Gi', '1GB', '1 Gi', '1ki', 'one', '1e', '--1'])('refuses "%s"', (text) => {
    expect(text).not.toMatch(new RegExp(pattern));
  });

  it('is an integer or a string', () => {
    expect(quantity()).toMatchObject({
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    });
  });
});

it('pick() keeps the named fields and no others', () => {
  expect(pick({ a: string(), b: bool(), c: int() }, 'a', 'c')).toStrictEqual({ a: string(), c: int() });
});
