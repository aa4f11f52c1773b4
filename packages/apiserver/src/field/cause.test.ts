import { describe, expect, it } from 'vitest';
import { duplicate, forbidden, invalid, notFound, notSupported, omitted, required, tooLong, tooMany } from './cause.ts';
import { GoStruct, goJson, goNumber } from './go-json.ts';

describe('a cause reads as Kubernetes writes it:', () => {
  it.each([
    [invalid('a', 'b"c', 'is odd'), 'Invalid value: "b\\"c": is odd'],
    [invalid('a', 3, 'is odd'), 'Invalid value: 3: is odd'],
    [invalid('a', null, 'is odd'), 'Invalid value: null: is odd'],
    [invalid('a', omitted, 'is odd'), 'Invalid value: is odd'],
    [invalid('a', { b: ['<'], a: 1 }, 'is odd'), 'Invalid value: {"a":1,"b":["\\u003c"]}: is odd'],
    [required('a'), 'Required value'],
    [required('a', 'or else'), 'Required value: or else'],
    [forbidden('a', 'no'), 'Forbidden: no'],
    [duplicate('a', 'b'), 'Duplicate value: "b"'],
    [notFound('a', 'b'), 'Not found: "b"'],
    [notSupported('a', 'b', ['c', 'd']), 'Unsupported value: "b": supported values: "c", "d"'],
    [tooLong('a', 1), 'Too long: may not be more than 1 byte'],
    [tooMany('a', 3, 2), 'Too many: 3: must have at most 2 items'],
  ])('%o', (cause, message) => {
    expect(cause.message).toBe(message);
    expect(cause.field).toBe('a');
  });
});

describe('values in messages', () => {
  it('have numbers as Go writes them', () => {
    expect([1, -1, 1.5, 2 ** 31, 1e21, 1e-7].map(goNumber)).toEqual(['1', '-1', '1.5', '2147483648', '1e+21', '1e-07']);
  });

  it('keep the order of the fields of a struct, and sort the keys of a map', () => {
    expect(goJson(new GoStruct({ b: 1, a: { d: 1, c: 2 } }))).toBe('{"b":1,"a":{"c":2,"d":1}}');
  });
});
