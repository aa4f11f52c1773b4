import { crds } from '@manta/api/crds';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import { convertVersion } from './convert-version.ts';
import { crdResourceInfo } from './crd-info.ts';
import { createCrdStrategy } from './crd-strategy.ts';
import { crdVersions } from './crd-version.ts';

const [rayCluster] = crds();
const [v1, v1alpha1] = crdVersions(rayCluster!);
const strategy = createCrdStrategy(v1!);
const now = '2026-01-01T00:00:00Z';

function cluster(more: JsonObject = {}): JsonObject {
  const template = { spec: { containers: [{ name: 'a', image: 'a' }] } };
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'a', namespace: 'b', resourceVersion: '1', generation: 1 },
    spec: { headGroupSpec: { template } },
    ...more,
  };
}

describe('a custom resource', () => {
  it('loses unknown metadata, and says which', () => {
    const { object, dropped } = strategy.prune({ ...cluster(), metadata: { name: 'a', x: 1 } });
    expect(object['metadata']).toEqual({ name: 'a' });
    expect(dropped).toEqual(['metadata.x']);
  });

  it('is refused for metadata of the wrong type', () => {
    expect(() => strategy.prune({ ...cluster(), metadata: { name: 3 } })).toThrow(
      new StatusError(
        400,
        'BadRequest',
        'RayCluster in version "v1" cannot be handled as a RayCluster: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
      ),
    );
  });

  it('is created without a status, in its first generation', () => {
    const created = strategy.prepareForCreate(cluster({ status: { state: 'ready' } }), now);
    expect(created['status']).toBeUndefined();
    expect(created['metadata']).toMatchObject({ generation: 1 });
  });

  it('is created with the status that its definition gives everyone', () => {
    const status = { type: 'object', default: { phase: 'New' }, properties: { phase: { type: 'string' } } } as const;
    const other = createCrdStrategy({ ...v1!, schema: { type: 'object', properties: { status } } });
    expect(other.prepareForCreate(cluster({ status: { phase: 'Old' } }), now)['status']).toEqual({ phase: 'New' });
  });

  it('keeps its status in an update, and counts changes of its spec', () => {
    const old = cluster({ status: { state: 'ready' } });
    expect(strategy.prepareForUpdate(cluster(), old, '', now)).toEqual(old);
    const changed = strategy.prepareForUpdate(cluster({ spec: {} }), old, '', now);
    expect(changed).toMatchObject({ metadata: { generation: 2 }, status: { state: 'ready' } });
  });

  it('changes nothing but its status through the status', () => {
    const changed = strategy.prepareForUpdate(
      cluster({ spec: {}, status: { state: 'ready' } }),
      cluster(),
      'status',
      now,
    );
    expect(changed).toEqual(cluster({ status: { state: 'ready' } }));
  });

  it('must be of the kind and version that it is sent to', () => {
    const causes = strategy.validateCreate({ ...cluster(), kind: 'X', apiVersion: 'ray.io/v2' });
    expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'kind: Invalid value: "X": must be RayCluster',
      'apiVersion: Invalid value: "ray.io/v2": must be ray.io/v1',
    ]);
  });

  it('is warned of for a finalizer without a domain', () => {
    const object = {
      ...cluster(),
      metadata: { name: 'a', finalizers: ['mine', 'example.com/x', 'foregroundDeletion'] },
    };
    expect(strategy.warnings?.(object, undefined)).toEqual([
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });

  it('is shown in another version under its name, without what that version does not know', () => {
    const shown = convertVersion(cluster({ extra: 1 }), 'ray.io/v1alpha1', createCrdStrategy(v1alpha1!));
    expect(shown['apiVersion']).toBe('ray.io/v1alpha1');
    expect(shown['extra']).toBeUndefined();
  });
});

it('discovery learns of a custom resource from its definition', () => {
  expect(crdResourceInfo(rayCluster!)).toMatchObject({
    group: 'ray.io',
    plural: 'rayclusters',
    singular: 'raycluster',
    listKind: 'RayClusterList',
    isNamespaced: true,
    versions: ['v1', 'v1alpha1'],
    storageVersion: 'v1',
    subresources: ['status'],
  });
});
