import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnmanaged } from './unmanaged.ts';

const fields = [
  {
    manager: 'kubectl',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'k:{"name":"x"}': { 'f:image': {} } },
  },
  {
    manager: 'kubelet',
    operation: 'Update',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': {} },
    subresource: 'status',
  },
];
const spec = { containers: [{ name: 'x', args: ['"managedFields":[{}],"name"', ']}'] }] };

describe('an object is read without its managedFields', () => {
  const rows = {
    'that come last in the metadata, as in built-in kinds': {
      kind: 'Pod',
      metadata: { name: 'a', uid: 'u', managedFields: fields },
      spec,
      status: { phase: 'Running' },
    },
    'that come between others, as in custom kinds': {
      kind: 'RayCluster',
      metadata: { labels: { a: 'b' }, managedFields: fields, name: 'a', uid: 'u' },
      spec,
    },
    'that come first': { metadata: { managedFields: fields, name: 'a' }, spec },
    'that are all its metadata': { metadata: { managedFields: fields }, spec },
    'in an event of a watch': { type: 'ADDED', object: { metadata: { name: 'a', managedFields: fields }, spec } },
    'beside annotations that speak of them': {
      metadata: { annotations: { last: '{"managedFields":[{}],"spec":{}}' }, managedFields: fields, name: 'a' },
      spec,
    },
  };
  test.each(Object.entries(rows))('%s', (_, object) => {
    const json = JSON.stringify(object);
    const whole: unknown = JSON.parse(json, (key, value: unknown) => (key === 'managedFields' ? undefined : value));
    expect(parseUnmanaged(json)).toEqual(whole);
  });
});

describe('an object is read whole', () => {
  const rows = {
    'that has none': { metadata: { name: 'a' }, spec },
    'whose template has some of its own': {
      metadata: { name: 'a' },
      spec: { template: { metadata: { managedFields: fields, name: 'b' } } },
    },
    'that ends with them': { metadata: { name: 'a', managedFields: fields } },
    'that has an empty list': {
      metadata: { managedFields: [], name: 'a', ownerReferences: [{ uid: 'u' }], uid: 'x' },
      spec,
    },
  };
  test.each(Object.entries(rows))('%s', (_, object) => {
    expect(parseUnmanaged(JSON.stringify(object))).toEqual(object);
  });

  test('that is written with spaces', () => {
    const object = { metadata: { name: 'a', managedFields: fields }, spec };
    expect(parseUnmanaged(JSON.stringify(object, null, 2))).toEqual(object);
  });

  test('whose list cannot be cut out without breaking it', () => {
    const object = { metadata: { managedFields: [{ fieldsV1: { list: [{ a: 1 }], b: 1 } }], name: 'a' }, spec };
    expect(parseUnmanaged(JSON.stringify(object))).toEqual(object);
  });
});

test('what is not JSON is an error as ever', () => {
  expect(() => parseUnmanaged('{"metadata":{"managedFields":[{}],"name":')).toThrow(SyntaxError);
});

test('whatever names and values there are, nothing but managedFields is missing', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('}],', '}]},', '}],"a', '}]},"spec":{', '"managedFields":[', '\\', '"', '[', ']', 'ü'),
  );
  const owners = fc.array(
    fc.record({ manager: text, fieldsV1: fc.dictionary(text, fc.dictionary(text, fc.constant({}))) }),
    {
      minLength: 1,
    },
  );
  // Where V8 has met the name `\` before, it takes `"` in its place for it: names here have no backslash, as in Kubernetes, and what is
  // expected has been read, too.
  const names = text.filter((key) => key !== 'managedFields' && key !== 'spec' && !key.includes('\\'));
  const strings = fc.dictionary(names, text);
  fc.assert(
    fc.property(owners, strings, strings, strings, (managedFields, before, behind, config) => {
      const rest = { apiVersion: 'v1', data: config };
      const json = JSON.stringify({ metadata: { annotations: before, managedFields, labels: behind }, ...rest });
      const expected = JSON.parse(JSON.stringify({ metadata: { annotations: before, labels: behind }, ...rest }));
      expect(parseUnmanaged(json)).toEqual(expected);
      const last = JSON.stringify({ metadata: { annotations: before, labels: behind, managedFields }, ...rest });
      expect(parseUnmanaged(last)).toEqual(expected);
    }),
  );
});
