import { describe, expect, it } from 'vitest';
import { builtinSchema, resolveBuiltin } from '../../builtin/index.ts';
import type { Json, JsonObject } from '../../object/json.ts';
import type { Schema } from '../../object/schema.ts';
import { withoutTimeOnlyChange } from './keep-times.ts';
import { recordUpdate, type UpdateRecord } from './record-update.ts';

const now = '2026-01-01T00:00:00Z';
const base = {
  before: undefined,
  manager: 'maker',
  apiVersion: 'v1',
  subresource: '',
  now,
  resolve: resolveBuiltin,
  schema: builtinSchema('io.k8s.api.core.v1.ConfigMap') ?? {},
  hasStatus: false,
};
const configMap = (fields: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  ...fields,
  metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1', creationTimestamp: now, ...metadata },
});
const record = (after: JsonObject, more: Partial<UpdateRecord> = {}) => recordUpdate({ ...base, after, ...more });
interface Entry extends JsonObject {
  readonly manager: string;
  readonly fieldsV1: JsonObject;
}
const managedFields = (object: JsonObject): readonly Entry[] =>
  (object['metadata'] as { readonly managedFields?: readonly Entry[] }).managedFields ?? [];
const owners = (object: JsonObject): Json =>
  Object.fromEntries(managedFields(object).map((entry) => [entry.manager, entry.fieldsV1]));

describe('recordUpdate()', () => {
  const created = record(configMap({ data: { a: '1', b: '2' } }, { labels: { x: 'y' }, finalizers: ['q/q'] }));

  it('gives a creator everything but identity', () => {
    expect(managedFields(created)).toEqual([
      {
        manager: 'maker',
        operation: 'Update',
        apiVersion: 'v1',
        time: now,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:data': { '.': {}, 'f:a': {}, 'f:b': {} },
          'f:metadata': { 'f:finalizers': { '.': {}, 'v:"q/q"': {} }, 'f:labels': { '.': {}, 'f:x': {} } },
        },
      },
    ]);
  });

  it('does not give a creator the structs that objects of the kind always have', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', image: 'i', resources: {} }], restartPolicy: 'Never' },
      status: {},
    };
    const schema = builtinSchema('io.k8s.api.core.v1.Pod') ?? {};
    expect(owners(record(pod, { schema, hasStatus: true }))).toEqual({
      maker: {
        'f:spec': {
          'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } },
          'f:restartPolicy': {},
        },
      },
    });
  });

  it('gives the creator of a custom resource its spec as well', () => {
    const schema: Schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
    };
    const object = { apiVersion: 'x.io/v1', kind: 'X', metadata: { name: 'a' }, spec: { a: '1' }, status: { b: 1 } };
    const made = record(object, { schema, resolve: (each) => each, apiVersion: 'x.io/v1', hasStatus: true });
    expect(owners(made)).toEqual({ maker: { 'f:spec': { '.': {}, 'f:a': {} } } });
  });

  it('follows maps and lists below fields that preserve what the schema does not know', () => {
    const schema: Schema = {
      type: 'object',
      properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    };
    const object = {
      apiVersion: 'x.io/v1',
      kind: 'X',
      metadata: { name: 'a' },
      spec: { a: { b: '1' }, c: [{ d: 1 }] },
    };
    const made = record(object, { schema, resolve: (each) => each, apiVersion: 'x.io/v1' });
    expect(owners(made)).toEqual({ maker: { 'f:spec': { '.': {}, 'f:a': { '.': {}, 'f:b': {} }, 'f:c': {} } } });
  });

  it('moves what a writer changes and takes away what it removes', () => {
    const after = configMap({ data: { b: '3', c: '4' } }, { labels: { x: 'y' }, finalizers: ['q/q'] });
    expect(owners(record(after, { before: created, manager: 'patcher' }))).toEqual({
      maker: {
        'f:data': {},
        'f:metadata': { 'f:finalizers': { '.': {}, 'v:"q/q"': {} }, 'f:labels': { '.': {}, 'f:x': {} } },
      },
      patcher: { 'f:data': { 'f:b': {}, 'f:c': {} } },
    });
  });

  it('adds to what a manager owns already, at the new time', () => {
    const after = configMap({ data: { a: '1', b: '2', c: '3' } }, { labels: { x: 'y' }, finalizers: ['q/q'] });
    const [entry, ...others] = managedFields(record(after, { before: created, now: '2026-01-01T00:01:00Z' }));
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      time: '2026-01-01T00:01:00Z',
      fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {}, 'f:c': {} } },
    });
  });

  it('calls a manager without a name unknown', () => {
    expect(managedFields(record(configMap({ data: { a: '1' } }), { manager: '' }))).toMatchObject([
      { manager: 'unknown' },
    ]);
  });

  it('forgets all owners when the client says so, and does not begin again', () => {
    for (const sent of [[], [{}]]) {
      const reset = record(configMap({ data: { a: '1' } }, { managedFields: sent }), {
        before: created,
        manager: 'resetter',
      });
      expect(reset['metadata']).not.toHaveProperty('managedFields');
      const next = record(configMap({ data: { a: '2' } }), { before: reset });
      expect(next['metadata']).not.toHaveProperty('managedFields');
    }
  });

  it('knows a reset from what was sent where decoding has dropped the empty list', () => {
    const reset = record(configMap({ data: { a: '1' } }), { before: created, sentManagedFields: [] });
    expect(reset['metadata']).not.toHaveProperty('managedFields');
  });

  it('takes edited managed fields for what they say, unless they cannot be read', () => {
    const entry = {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    };
    const same = { data: { a: '1', b: '2' } };
    const labels = { labels: { x: 'y' }, finalizers: ['q/q'] };
    const edited = record(configMap(same, { ...labels, managedFields: [entry] }), {
      before: created,
      manager: 'editor',
    });
    expect(owners(edited)).toEqual({ x: { 'f:data': { 'f:a': {} } } });
    const { fieldsType: _, ...broken } = entry;
    const kept = record(configMap(same, { ...labels, managedFields: [broken] }), {
      before: created,
      manager: 'editor',
    });
    expect(owners(kept)).toEqual(owners(created));
  });

  it('makes ancient changes of the oldest when more than ten managers update', () => {
    let object = record(configMap({ data: { k0: '' } }), { manager: 'u00' });
    for (let i = 1; i <= 11; i++) {
      const data = { ...(object['data'] as JsonObject), [`k${i}`]: '' };
      const time = new Date(Date.parse(now) + i * 60_000).toISOString().replace('.000', '');
      object = record({ ...object, data }, { before: object, manager: `u${String(i).padStart(2, '0')}`, now: time });
    }
    expect(managedFields(object).map(({ manager }) => manager)).toEqual([
      'ancient-changes',
      ...Array.from({ length: 9 }, (_, i) => `u${String(i + 3).padStart(2, '0')}`),
    ]);
    expect(managedFields(object)[0]).toMatchObject({
      time: '2026-01-01T00:02:00Z',
      fieldsV1: { 'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} } },
    });
  });

  it('lists appliers before updaters, and each group by time and name', () => {
    const entry = (manager: string, operation: string, time: string) => ({
      manager,
      operation,
      apiVersion: 'v1',
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:${manager}`]: {} } },
    });
    const data = { a: '', b: '', c: '', d: '' };
    const sent = [
      entry('d', 'Update', now),
      entry('a', 'Update', '2025-01-01T00:00:00Z'),
      entry('c', 'Apply', '2027-01-01T00:00:00Z'),
      entry('b', 'Update', now),
    ];
    const object = configMap({ data }, { managedFields: sent });
    expect(managedFields(record(object, { before: object })).map(({ manager }) => manager)).toEqual([
      'c',
      'a',
      'b',
      'd',
    ]);
  });
});

describe('withoutTimeOnlyChange()', () => {
  const stored = record(configMap({ data: { a: '1' } }));

  it('gives back the stored object where only times differ', () => {
    const entries = managedFields(stored).map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' }));
    const written = configMap({ data: { a: '1' } }, { managedFields: entries });
    expect(withoutTimeOnlyChange(stored, written)).toBe(stored);
  });

  it('keeps a write that changes anything else', () => {
    const written = record(configMap({ data: { a: '2' } }), { before: stored, manager: 'other' });
    expect(withoutTimeOnlyChange(stored, written)).toBe(written);
    const owned = configMap({ data: { a: '1' } }, { managedFields: [] });
    expect(withoutTimeOnlyChange(stored, owned)).toBe(owned);
  });
});
