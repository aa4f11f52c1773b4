import { sharedWidgets } from '../support/custom-resources.ts';
import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal, warningsOf } from '../support/expect-status.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const text = { type: 'string' };
const spec: Fields = {
  type: 'object',
  properties: {
    word: { ...text, minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    color: { ...text, enum: ['red', 'green'] },
    count: { type: 'integer', format: 'int32', minimum: 1, maximum: 10 },
    ratio: { type: 'number', multipleOf: 0.5 },
    flag: { type: 'boolean' },
    when: { ...text, format: 'date-time' },
    either: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'array', items: text, maxItems: 2, minItems: 1, 'x-kubernetes-list-type': 'set' },
    ports: {
      type: 'array',
      items: { type: 'object', properties: { name: text, port: { type: 'integer' } }, required: ['name'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    map: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 },
    inner: { type: 'object', required: ['must'], properties: { must: text, level: { type: 'integer', default: 3 } } },
    mode: { ...text, default: 'auto' },
    options: { type: 'object', default: {}, properties: { depth: { type: 'integer', default: 1 } } },
    maybe: { ...text, nullable: true },
    never: { ...text, default: 'x' },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    one: { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  },
};

const widgetsOf = (t: Target) => sharedWidgets(t, 'schema', { spec });

async function sent(t: Target, value: Fields, query = '') {
  const widgets = await widgetsOf(t);
  return t.request('POST', widgets.path(await t.namespace()) + query, widgets.object('w', value));
}

const refusals: Readonly<Record<string, readonly [value: Fields, causes: readonly string[]]>> = {
  'a number where text belongs': [
    { word: 5 },
    ['spec.word: FieldValueTypeInvalid: Invalid value: "integer": spec.word in body must be of type string: "integer"'],
  ],
  'text where a number belongs': [
    { count: 'x' },
    [
      'spec.count: FieldValueTypeInvalid: Invalid value: "string": spec.count in body must be of type integer: "string"',
    ],
  ],
  'a fraction where an integer belongs': [
    { count: 1.5 },
    [
      'spec.count: FieldValueTypeInvalid: Invalid value: "float64": spec.count in body must be of type int32: "float64"',
      '<nil>: FieldValueInvalid: Invalid value: "": Checked value must be of type integer with format int32 in spec.count',
    ],
  ],
  'text where true or false belongs': [
    { flag: 'yes' },
    ['spec.flag: FieldValueTypeInvalid: Invalid value: "string": spec.flag in body must be of type boolean: "string"'],
  ],
  'an object where a list belongs': [
    { tags: {} },
    ['spec.tags: FieldValueTypeInvalid: Invalid value: "object": spec.tags in body must be of type array: "object"'],
  ],
  'null where nothing may be null': [
    { word: null, inner: { must: null } },
    ['spec.inner.must: FieldValueRequired: Required value'],
  ],
  'text that is too short': [
    { word: 'a' },
    ['spec.word: FieldValueInvalid: Invalid value: "a": spec.word in body should be at least 2 chars long'],
  ],
  'text that is too long': [
    { word: 'abcdef' },
    ['spec.word: FieldValueTooLong: Too long: may not be more than 5 bytes'],
  ],
  'text that does not match': [
    { word: 'A1' },
    ['spec.word: FieldValueInvalid: Invalid value: "A1": spec.word in body should match \'^[a-z]+$\''],
  ],
  'a value that is not listed': [
    { color: 'blue' },
    ['spec.color: FieldValueNotSupported: Unsupported value: "blue": supported values: "red", "green"'],
  ],
  'a number that is too small': [
    { count: 0 },
    ['spec.count: FieldValueInvalid: Invalid value: 0: spec.count in body should be greater than or equal to 1'],
  ],
  'a number that is too large': [
    { count: 11 },
    ['spec.count: FieldValueInvalid: Invalid value: 11: spec.count in body should be less than or equal to 10'],
  ],
  'a number that is no multiple': [
    { ratio: 0.7 },
    ['spec.ratio: FieldValueInvalid: Invalid value: 0.7: spec.ratio in body should be a multiple of 0.5'],
  ],
  'text that is no date': [
    { when: 'soon' },
    ['spec.when: FieldValueTypeInvalid: Invalid value: "soon": spec.when in body must be of type date-time: "soon"'],
  ],
  'a fraction where a number or text belongs': [
    { either: 1.5 },
    [
      'spec.either: FieldValueTypeInvalid: Invalid value: "number": spec.either in body must be of type integer,string: "number"',
    ],
  ],
  'too many items': [
    { tags: ['a', 'b', 'c'] },
    ['spec.tags: FieldValueTooMany: Too many: 3: must have at most 2 items'],
  ],
  'too few items': [
    { tags: [] },
    ['spec.tags: FieldValueInvalid: Invalid value: 0: spec.tags in body should have at least 1 items'],
  ],
  'a value twice in a set': [{ tags: ['a', 'a'] }, ['spec.tags[1]: FieldValueDuplicate: Duplicate value: "a"']],
  'a key twice in a list': [
    { ports: [{ name: 'a' }, { name: 'a', port: 1 }] },
    ['spec.ports[1]: FieldValueDuplicate: Duplicate value: {"name":"a"}'],
  ],
  'an item without its key': [{ ports: [{ port: 1 }] }, ['spec.ports[0].name: FieldValueRequired: Required value']],
  'too many entries of a map': [
    { map: { a: 1, b: 2, c: 3 } },
    ['spec.map: FieldValueTooMany: Too many: 3: must have at most 2 items'],
  ],
  'a wrong entry of a map': [
    { map: { a: 'x' } },
    [
      'spec.map.a: FieldValueTypeInvalid: Invalid value: "string": spec.map.a in body must be of type integer: "string"',
    ],
  ],
  'a field that must be there': [{ inner: {} }, ['spec.inner.must: FieldValueRequired: Required value']],
  'neither of two alternatives': [
    { one: {} },
    [
      'spec.one.a: FieldValueRequired: Required value',
      '<nil>: FieldValueInvalid: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
    ],
  ],
  'both of two alternatives': [
    { one: { a: '1', b: '2' } },
    [
      '<nil>: FieldValueInvalid: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ],
  'an embedded object that does not say what it is': [
    { embedded: { metadata: { name: 'x' } } },
    [
      'spec.embedded.apiVersion: FieldValueRequired: Required value',
      'spec.embedded.kind: FieldValueRequired: Required value',
    ],
  ],
};

export const cases: readonly Case[] = [
  ...Object.entries(refusals).map(
    ([what, [value, causes]]): Case => ({
      title: `${what} is refused`,
      run: async (t) => {
        const answer = await sent(t, value);
        expectRefusal(answer, { code: 422, reason: 'Invalid', details: { name: 'w', kind: 'Widget' } });
        expect(new Set(causesOf(answer))).toEqual(new Set(causes));
      },
    }),
  ),
  {
    title: 'several mistakes are told together',
    run: async (t) => {
      const answer = await sent(t, { word: 'A1', count: 0 });
      expect(new Set(causesOf(answer).map((cause) => cause.split(':')[0]))).toEqual(
        new Set(['spec.word', 'spec.count']),
      );
      expect((answer.body as { message: string }).message).toMatch(/^Widget\.g-\S+ "w" is invalid: \[spec\./);
    },
  },
  {
    title: 'defaults are filled in, also below defaults, but not into what is absent',
    run: async (t) => {
      const answer = await sent(t, {});
      expect(answer.body).toMatchObject({ spec: { mode: 'auto', options: { depth: 1 } } });
      expect((answer.body as { spec: Fields }).spec).not.toHaveProperty('inner');
      const inner = await sent(t, { inner: { must: 'x' } });
      expect(inner.body).toMatchObject({ spec: { inner: { must: 'x', level: 3 } } });
    },
  },
  {
    title: 'null is replaced by a default where the field may not be null, and kept where it may',
    run: async (t) => {
      const { spec: made } = (await sent(t, { mode: null, maybe: null })).body as { spec: Fields };
      expect(made['mode']).toBe('auto');
      expect(made['maybe']).toBeNull();
    },
  },
  {
    title: 'null without a default is dropped where the field may not be null',
    run: async (t) => {
      const { spec: made } = (await sent(t, { word: null })).body as { spec: Fields };
      expect(made).not.toHaveProperty('word');
    },
  },
  {
    title: 'unknown fields are pruned, with a warning',
    run: async (t) => {
      const answer = await sent(t, { unknown: 1, inner: { must: 'x', odd: 2 } });
      expect(answer.status).toBe(201);
      expect((answer.body as { spec: Fields }).spec).not.toHaveProperty('unknown');
      expect((answer.body as { spec: { inner: Fields } }).spec.inner).toEqual({ must: 'x', level: 3 });
      expect(warningsOf(answer)).toEqual(['unknown field "spec.inner.odd"', 'unknown field "spec.unknown"']);
    },
  },
  {
    title: 'unknown fields are refused with Strict',
    run: async (t) => {
      const answer = await sent(t, { unknown: 1 }, '?fieldValidation=Strict');
      expectRefusal(answer, {
        code: 400,
        reason: 'BadRequest',
        message:
          /^Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec\.unknown"$/,
      });
    },
  },
  {
    title: 'unknown fields are kept where the schema says so',
    run: async (t) => {
      const free = { a: [1, { b: null }], c: 'd' };
      expect(((await sent(t, { free })).body as { spec: Fields }).spec['free']).toEqual(free);
    },
  },
  {
    title: 'large and fractional numbers survive',
    run: async (t) => {
      const free = { large: 9_007_199_254_740_991, small: 0.1, negative: -5, zero: 0 };
      expect(((await sent(t, { free })).body as { spec: Fields }).spec['free']).toEqual(free);
    },
  },
  {
    title: 'a number or text is either',
    run: async (t) => {
      for (const either of [5, '50%'])
        expect(((await sent(t, { either })).body as { spec: Fields }).spec['either']).toBe(either);
    },
  },
  {
    title: 'a float without a fraction is an integer',
    run: async (t) => expect((await sent(t, { count: 3.0 })).status).toBe(201),
  },
  {
    title: 'an object that is listed again by name keeps its order',
    run: async (t) => {
      const ports = [{ name: 'z' }, { name: 'a' }];
      expect(((await sent(t, { ports })).body as { spec: Fields }).spec['ports']).toEqual(ports);
    },
  },
];
