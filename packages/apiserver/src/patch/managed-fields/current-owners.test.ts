import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../object/json.ts';
import type { Schema } from '../../object/schema.ts';
import { recordUpdate } from './record-update.ts';

const items: Schema = { type: 'object', properties: { name: { type: 'string' }, v: { type: 'string' } } };
const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } };
const kind = (spec: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { any: { 'x-kubernetes-preserve-unknown-fields': true }, ...spec } },
  },
});
const granular = kind({
  list: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  map: texts,
  emb: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
});
const atomic = kind({
  list: { type: 'array', items },
  set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
  map: { ...texts, 'x-kubernetes-map-type': 'atomic' },
});

const object: JsonObject = {
  apiVersion: 'x.io/v1',
  kind: 'Widget',
  metadata: { name: 'w' },
  spec: {
    list: [{ name: 'a', v: '1' }],
    set: ['x', 'y'],
    map: { k: '1' },
    any: { p: { q: '1' }, r: [{ s: 1 }], t: null, u: {} },
  },
};
const write = (before: JsonObject | undefined, after: JsonObject, schema: Schema, manager: string) =>
  recordUpdate({
    before,
    after,
    manager,
    schema,
    resolve: (each) => each,
    apiVersion: 'x.io/v1',
    subresource: '',
    now: '2026-01-01T00:00:00Z',
    hasStatus: false,
  });
const fieldsOfFirst = (written: JsonObject) =>
  (written['metadata'] as { readonly managedFields: readonly JsonObject[] }).managedFields[0]?.['fieldsV1'];
const any = { '.': {}, 'f:p': { '.': {}, 'f:q': {} }, 'f:r': {}, 'f:t': {}, 'f:u': {} };

describe('owners and changing schemas', () => {
  const created = write(undefined, object, granular, 'maker');

  it('own items and keys one by one where the schema says so', () => {
    expect(fieldsOfFirst(created)).toEqual({
      'f:spec': {
        '.': {},
        'f:any': any,
        'f:list': { '.': {}, 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:v': {} } },
        'f:map': { '.': {}, 'f:k': {} },
        'f:set': { '.': {}, 'v:"x"': {}, 'v:"y"': {} },
      },
    });
  });

  it('own the whole of what has become atomic', () => {
    const labelled = { ...created, metadata: { ...(created['metadata'] as JsonObject), labels: { q: '1' } } };
    expect(fieldsOfFirst(write(created, labelled, atomic, 'other'))).toEqual({
      'f:spec': { '.': {}, 'f:any': any, 'f:list': {}, 'f:map': {}, 'f:set': {} },
    });
  });

  it('own the metadata of embedded objects as of any other', () => {
    const metadata = {
      name: 'x',
      finalizers: ['a/b'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u1' }],
    };
    const embedding = { ...object, spec: { emb: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } } } };
    expect(fieldsOfFirst(write(undefined, embedding, granular, 'maker'))).toEqual({
      'f:spec': {
        '.': {},
        'f:emb': {
          '.': {},
          'f:apiVersion': {},
          'f:data': { '.': {}, 'f:a': {} },
          'f:kind': {},
          'f:metadata': {
            '.': {},
            'f:finalizers': { '.': {}, 'v:"a/b"': {} },
            'f:name': {},
            'f:ownerReferences': { '.': {}, 'k:{"uid":"u1"}': {} },
          },
        },
      },
    });
  });
});
