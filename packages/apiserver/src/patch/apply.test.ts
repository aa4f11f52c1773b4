import { describe, expect, it } from 'vitest';
import { builtinSchema, resolveBuiltin } from '../builtin/index.ts';
import type { Json, JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import { type ApplyRequest, serverSideApply } from './apply.ts';
import { recordUpdate } from './managed-fields/record-update.ts';

const now = '2026-01-01T00:00:00Z';
const later = '2026-01-01T00:01:00Z';
const kinds = {
  ConfigMap: { definition: 'io.k8s.api.core.v1.ConfigMap', apiVersion: 'v1', hasStatus: false },
  Service: { definition: 'io.k8s.api.core.v1.Service', apiVersion: 'v1', hasStatus: true },
} as const;

function request(kind: keyof typeof kinds, applied: JsonObject, more: Partial<ApplyRequest> = {}): ApplyRequest {
  const { definition, apiVersion, hasStatus } = kinds[kind];
  return {
    live: undefined,
    applied: { apiVersion, kind, ...applied, metadata: { name: 'a', ...(applied['metadata'] as object | undefined) } },
    manager: 'one',
    force: false,
    schema: builtinSchema(definition) ?? {},
    resolve: resolveBuiltin,
    now,
    apiVersion,
    kind,
    subresource: '',
    hasStatus,
    ...more,
  };
}

const applyMap = (live: JsonObject | undefined, applied: JsonObject, more: Partial<ApplyRequest> = {}) =>
  serverSideApply(request('ConfigMap', applied, { live, ...more }));

function patchMap(live: JsonObject, fields: JsonObject, manager: string): JsonObject {
  const { schema, resolve, apiVersion } = request('ConfigMap', {});
  const after = { ...live, ...fields };
  return recordUpdate({
    before: live,
    after,
    manager,
    apiVersion,
    subresource: '',
    now,
    schema,
    resolve,
    hasStatus: false,
  });
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly fieldsV1: JsonObject;
}

function owners(object: JsonObject): Json {
  const { managedFields = [] } = object['metadata'] as { readonly managedFields?: readonly Entry[] };
  return Object.fromEntries(managedFields.map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]));
}

function refusal(attempt: () => unknown): StatusError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('serverSideApply()', () => {
  const first = applyMap(undefined, {
    data: { a: '1', b: '2' },
    metadata: { labels: { x: 'y' }, finalizers: ['q/q'] },
  });

  it('creates what is not there and owns what it sent', () => {
    expect(first).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'a',
        labels: { x: 'y' },
        finalizers: ['q/q'],
        managedFields: [
          {
            manager: 'one',
            operation: 'Apply',
            apiVersion: 'v1',
            time: now,
            fieldsType: 'FieldsV1',
            fieldsV1: {
              'f:data': { 'f:a': {}, 'f:b': {} },
              'f:metadata': { 'f:finalizers': { 'v:"q/q"': {} }, 'f:labels': { 'f:x': {} } },
            },
          },
        ],
      },
      data: { a: '1', b: '2' },
    });
  });

  it('changes nothing, not even the time, where nothing changes', () => {
    const wish = { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' }, finalizers: ['q/q'] } };
    expect(applyMap(first, wish, { now: later })).toEqual(first);
  });

  it('lets a second manager share a value, without a time of its own', () => {
    const shared = applyMap(first, { data: { a: '1' } }, { manager: 'two', now: later });
    expect((shared['metadata'] as JsonObject)['managedFields']).toEqual([
      {
        manager: 'two',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
      ...((first['metadata'] as JsonObject)['managedFields'] as readonly Json[]),
    ]);
  });

  it('removes what its manager no longer applies and nobody else owns', () => {
    const shared = applyMap(first, { data: { a: '1' } }, { manager: 'two' });
    const reduced = applyMap(shared, { metadata: { labels: { x: 'y' } } });
    expect(reduced).toMatchObject({ data: { a: '1' }, metadata: { labels: { x: 'y' } } });
    expect((reduced['metadata'] as JsonObject)['finalizers']).toBeUndefined();
    expect(owners(reduced)).toEqual({
      'one Apply': { 'f:metadata': { 'f:labels': { 'f:x': {} } } },
      'two Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  it('leaves no trace of a manager that applies nothing', () => {
    expect(applyMap(first, {})).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
  });

  it('refuses to change one field of another manager', () => {
    const error = refusal(() => applyMap(first, { data: { a: '2' } }, { manager: 'two' }));
    expect(error).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.a' }] },
    });
  });

  it('names all conflicts, manager by manager', () => {
    const shared = patchMap(first, { data: { a: '1', b: '9', c: '4' } }, 'three');
    const error = refusal(() => applyMap(shared, { data: { a: '5', b: '2', c: '5' } }, { manager: 'two' }));
    expect(error.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "one":\n- .data.a\nconflicts with "three" using v1:\n- .data.b\n- .data.c',
    );
  });

  it('takes over by force', () => {
    const forced = applyMap(first, { data: { a: '2' } }, { manager: 'two', force: true, now: later });
    expect(forced).toMatchObject({ data: { a: '2', b: '2' } });
    expect(owners(forced)).toEqual({
      'one Apply': {
        'f:data': { 'f:b': {} },
        'f:metadata': { 'f:finalizers': { 'v:"q/q"': {} }, 'f:labels': { 'f:x': {} } },
      },
      'two Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  it('holds an object without owners to be from before the first apply', () => {
    const bare = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u' }, data: { a: '1' } };
    expect(owners(applyMap(bare, { data: { b: '2' } }))).toEqual({
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {} } },
      'one Apply': { 'f:data': { 'f:b': {} } },
    });
    const error = refusal(() => applyMap(bare, { data: { a: '2' } }));
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a');
  });

  it('lets kubectl take over what it set by client-side apply, and keeps its annotation up to date', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const applied =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{},"name":"a"},"data":{"a":"1","b":"2"}}\n';
    const start = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', annotations: { [annotation]: applied } },
    };
    const before = patchMap(applyMap(undefined, start), { data: { a: '1', b: '2' } }, 'kubectl-client-side-apply');
    const moved = applyMap(before, { data: { a: '5' } }, { manager: 'kubectl' });
    expect(moved).toMatchObject({
      data: { a: '5', b: '2' },
      metadata: {
        annotations: {
          [annotation]: '{"apiVersion":"v1","data":{"a":"5"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
        },
      },
    });
    expect(refusal(() => applyMap(before, { data: { a: '5' } }, { manager: 'other' })).code).toBe(409);
  });

  const lists = (live: JsonObject | undefined, ports: readonly JsonObject[], manager = 'one') =>
    serverSideApply(request('Service', { spec: { ports } }, { live, manager }));
  const port = (number: number, more: JsonObject = {}) => ({ port: number, name: `p${number}`, ...more });

  it('tells the items of a keyed list apart by all keys, with their defaults', () => {
    const service = lists(undefined, [port(80), port(81, { protocol: 'UDP' })]);
    expect(owners(service)).toEqual({
      'one Apply': {
        'f:spec': {
          'f:ports': {
            'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
            'k:{"port":81,"protocol":"UDP"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {} },
          },
        },
      },
    });
    const error = refusal(() => lists(service, [port(80, { name: 'web' })], 'two'));
    expect(error.message).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.ports[port=80,protocol="TCP"].name',
    );
  });

  it("keeps others' items in their places and its own in its own order", () => {
    const service = lists(lists(undefined, [port(1), port(2), port(3)]), [port(9), port(3), port(1)], 'two');
    const { spec } = service as { readonly spec: { readonly ports: readonly { readonly port: number }[] } };
    expect(spec.ports.map((each) => each.port)).toEqual([2, 9, 3, 1]);
  });

  it('owns a status only through the status subresource', () => {
    const status = { conditions: [{ type: 'A', status: 'True' }] };
    const live = lists(undefined, [port(80)]);
    expect(owners(serverSideApply(request('Service', { status }, { live, manager: 'two' })))).toEqual(owners(live));
    const through = serverSideApply(
      request('Service', { status, spec: { type: 'x' } }, { live, manager: 'two', subresource: 'status' }),
    );
    expect(through['metadata']).toMatchObject({
      managedFields: [
        {},
        {
          manager: 'two',
          subresource: 'status',
          fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"A"}': { '.': {}, 'f:type': {}, 'f:status': {} } } } },
        },
      ],
    });
  });

  it('forgets entries of versions that are served no more', () => {
    const alpha = applyMap(undefined, { data: { z: '1' } }, { manager: 'old' });
    const metadata = alpha['metadata'] as { readonly managedFields: readonly JsonObject[] };
    const aged = {
      ...alpha,
      metadata: { ...metadata, managedFields: metadata.managedFields.map((each) => ({ ...each, apiVersion: 'v0' })) },
    };
    const served = applyMap(aged, { data: { z: '2' } }, { isServed: (version) => version === 'v1' });
    expect(owners(served)).toEqual({ 'one Apply': { 'f:data': { 'f:z': {} } } });
  });

  const wrongKind: Readonly<Record<string, Json>> = {
    'invalid object type: /, Kind=': null,
    'invalid object type: /, Kind=ConfigMap': { kind: 'ConfigMap' },
    'invalid object type: /v1, Kind=': { apiVersion: 'v1', kind: 3 },
    'invalid object type: /v1, Kind=Pod': { apiVersion: 'v1', kind: 'Pod' },
    'invalid object type: apps/v1, Kind=ConfigMap': { apiVersion: 'apps/v1', kind: 'ConfigMap' },
    'metadata.managedFields must be nil': { apiVersion: 'v1', kind: 'ConfigMap', metadata: { managedFields: [] } },
  };
  it.each(Object.entries(wrongKind))('says "%s"', (message, applied) => {
    expect(refusal(() => serverSideApply({ ...request('ConfigMap', {}), applied }))).toMatchObject({
      code: 400,
      message,
    });
  });

  const misfits: Readonly<Record<string, JsonObject>> = {
    '.foo: field not declared in schema': { foo: 1 },
    '.data: expected map, got &{x}': { data: 'x' },
    '.data: expected map, got &{[x 1]}': { data: ['x', 1] },
    '.data.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":[]interface {}{1, true}}}':
      {
        data: { a: { b: [1, true] } },
      },
    '.immutable: expected boolean, got &{map[a:<nil>]}': { immutable: { a: null } },
    '.metadata.generation: expected numeric (int or float), got string': { metadata: { generation: 'x' } },
    '.metadata.finalizers: expected list, got &{x}': { metadata: { finalizers: 'x' } },
    '.metadata.finalizers: duplicate entries for key [="a/a"]': { metadata: { finalizers: ['a/a', 'a/a'] } },
    ".metadata.finalizers: element 0: associative list without keys has an element that's an explicit null": {
      metadata: { finalizers: [null] },
    },
    ".metadata.finalizers: element 0: associative list without keys has an element that's a map type": {
      metadata: { finalizers: [{}] },
    },
    '.metadata.ownerReferences: duplicate entries for key [uid="x"]': {
      metadata: { ownerReferences: [{ uid: 'x' }, { uid: 'x' }] },
    },
    '.metadata.ownerReferences: element 0: associative list with keys may not have non-map elements': {
      metadata: { ownerReferences: ['x'] },
    },
    'errors:\n  .data.a: expected string, got &value.valueUnstructured{Value:1}\n  .data.b: expected string, got &value.valueUnstructured{Value:1.5}':
      { data: { a: 1, b: 1.5 } },
  };
  it.each(Object.entries(misfits))('says "%s"', (message, applied) => {
    expect(refusal(() => applyMap(undefined, applied))).toMatchObject({
      code: 500,
      reason: '',
      message: `failed to create typed patch object (/a; /v1, Kind=ConfigMap): ${message}`,
    });
  });
});
