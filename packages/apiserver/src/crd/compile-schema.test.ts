import { crds } from '@manta/api/crds';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../object/json.ts';
import type { Schema } from '../object/schema.ts';
import { compileSchema } from './compile-schema.ts';

function schemaOf(properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema {
  return { type: 'object', properties: { spec: { type: 'object', properties, ...more } } };
}

function complaints(schema: Schema, spec: Json, old?: Json): readonly string[] {
  const causes = compileSchema(schema).validate({ spec }, old === undefined ? undefined : { spec: old });
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('pruning', () => {
  const schema = compileSchema({
    type: 'object',
    properties: {
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'object' } } },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} },
    },
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      'keeps what every object has',
      { apiVersion: 'v1', kind: 'A', metadata: { x: 1 } },
      { apiVersion: 'v1', kind: 'A', metadata: { x: 1 } },
      [],
    ],
    ['drops unknown fields', { b: 1, a: 2 }, {}, ['a', 'b']],
    ['drops them in lists', { list: [{ a: 'x', b: 1 }] }, { list: [{ a: 'x' }] }, ['list[0].b']],
    ['drops them in maps', { map: { k: { b: 1 } } }, { map: { k: {} } }, ['map.k.b']],
    ['keeps them where told', { open: { b: { c: 1 } } }, { open: { b: { c: 1 } } }, []],
    ['drops them below a known field even there', { open: { a: { b: 1 } } }, { open: { a: {} } }, ['open.a.b']],
    [
      'keeps the type of an embedded object',
      { embedded: { kind: 'A', x: 1 } },
      { embedded: { kind: 'A' } },
      ['embedded.x'],
    ],
  ])('%s', (_, object, kept, dropped) => {
    expect(schema.prune(object)).toEqual({ object: kept, dropped });
  });

  it('gives the very same object where nothing is unknown', () => {
    const object = { list: [{ a: 'x' }], map: { k: { a: 'y' } } };
    expect(schema.prune(object).object).toBe(object);
  });

  it('leaves nothing to prune', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('open', 'map', 'list', 'x'), fc.jsonValue()), (value) => {
        const object = JSON.parse(JSON.stringify(value));
        const once = schema.prune(object).object;
        expect(schema.prune(once)).toEqual({ object: once, dropped: [] });
      }),
    );
  });
});

describe('defaults', () => {
  const schema = compileSchema(
    schemaOf({
      number: { type: 'integer', default: 3 },
      nested: { type: 'object', default: {}, properties: { text: { type: 'string', default: 'x' } } },
      list: { type: 'array', items: { type: 'object', properties: { text: { type: 'string', default: 'y' } } } },
      nullable: { type: 'string', nullable: true, default: 'z' },
      plain: { type: 'string' },
    }),
  );

  it.each<[string, JsonObject, JsonObject]>([
    ['fill in what is missing', { plain: 'a' }, { plain: 'a', number: 3, nested: { text: 'x' }, nullable: 'z' }],
    ['reach into lists', { list: [{}] }, { list: [{ text: 'y' }], number: 3, nested: { text: 'x' }, nullable: 'z' }],
    ['replace null', { number: null }, { number: 3, nested: { text: 'x' }, nullable: 'z' }],
    ['leave null where it may be', { nullable: null }, { nullable: null, number: 3, nested: { text: 'x' } }],
    ['drop null that has none', { plain: null }, { number: 3, nested: { text: 'x' }, nullable: 'z' }],
  ])('%s', (_, spec, filled) => {
    expect(schema.applyDefaults({ spec })).toEqual({ spec: filled });
  });

  it('do not apply where the object that has them is missing', () => expect(schema.applyDefaults({})).toEqual({}));
});

describe('validation says', () => {
  const cases: Readonly<Record<string, readonly [schema: Schema, value: Json, said: readonly string[]]>> = {
    'the types': [
      { type: 'integer' },
      'x',
      ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
    ],
    'the format for what is no text': [
      { type: 'integer', format: 'int32' },
      true,
      ['spec.a: Invalid value: "": spec.a in body must be of type int32: ""'],
    ],
    'nothing of a whole number for a number': [{ type: 'number' }, 1, []],
    'an integer that does not fit': [
      { type: 'integer', format: 'int32' },
      2 ** 31,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.a'],
    ],
    'the values of an enum': [
      { type: 'string', enum: ['b'] },
      'x',
      ['spec.a: Unsupported value: "x": supported values: "b"'],
    ],
    'a pattern': [
      { type: 'string', pattern: '^b$' },
      'x',
      ['spec.a: Invalid value: "x": spec.a in body should match \'^b$\''],
    ],
    'a length': [{ type: 'string', maxLength: 1 }, 'xy', ['spec.a: Too long: may not be more than 1 byte']],
    'a minimum': [
      { type: 'integer', minimum: 1 },
      0,
      ['spec.a: Invalid value: 0: spec.a in body should be greater than or equal to 1'],
    ],
    'an exclusive maximum': [
      { type: 'integer', maximum: 1, exclusiveMaximum: true },
      1,
      ['spec.a: Invalid value: 1: spec.a in body should be less than 1'],
    ],
    'a number of items': [
      { type: 'array', items: { type: 'string' }, maxItems: 0 },
      ['x'],
      ['spec.a: Too many: 1: must have at most 0 items'],
    ],
    'an item twice in a set': [
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      ['x', 'x'],
      ['spec.a[1]: Duplicate value: "x"'],
    ],
    'a key twice in a list': [
      {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      [{ k: 'x' }, { k: 'x' }],
      ['spec.a[1]: Duplicate value: {"k":"x"}'],
    ],
    'that no branch of anyOf fits': [
      { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
      true,
      [
        'spec.a: Invalid value: "boolean": spec.a in body must be of type integer,string: "boolean"',
        '<nil>: Invalid value: "": "spec.a" must validate at least one schema (anyOf)',
        'spec.a: Invalid value: "boolean": spec.a in body must be of type integer: "boolean"',
      ],
    ],
  };

  it.each(Object.entries(cases))('%s', (_, [schema, value, said]) => {
    expect(complaints(schemaOf({ a: schema }), { a: value })).toEqual(said);
  });

  it('what is required', () => {
    expect(complaints(schemaOf({}, { required: ['a'] }), {})).toEqual(['spec.a: Required value']);
  });
});

describe('an update', () => {
  const schema = schemaOf({ a: { type: 'string', enum: ['b'] }, c: { type: 'string' } });

  it('is not blamed for what it did not change', () => {
    expect(complaints(schema, { a: 'old', c: 'x' }, { a: 'old' })).toEqual([]);
    expect(complaints(schema, { a: 'new', c: 'x' }, { a: 'old' })).toHaveLength(1);
  });
});

describe('our own definitions', () => {
  it('compile and check the emptiest object', () => {
    for (const version of crds().flatMap((crd) => crd.spec.versions)) {
      const compiled = compileSchema(version.schema?.openAPIV3Schema as Schema);
      expect(compiled.validate({ spec: 1 }).length).toBeGreaterThan(0);
    }
  });
});
