import { describe, expect, it } from 'vitest';
import { gcsBackendOf, networkPolicyModeOf, withRayClusterDefaults } from './defaults.ts';
import type { RayCluster } from './raycluster.ts';
import { podTemplate, rayCluster, withHead, withWorkerGroup } from './testing/fixtures.ts';

describe('withRayClusterDefaults()', () => {
  it('gives groups without start parameters empty ones, and leaves the others', () => {
    const bare = { headGroupSpec: { template: podTemplate('ray') } };
    const group = { groupName: 'a', template: podTemplate('ray') };
    const cluster: RayCluster = {
      spec: { ...bare, workerGroupSpecs: [group, { ...group, groupName: 'b', rayStartParams: { 'num-cpus': '2' } }] },
    };
    const { spec } = withRayClusterDefaults(cluster);
    expect(spec?.headGroupSpec.rayStartParams).toEqual({});
    expect(spec?.workerGroupSpecs?.map(({ rayStartParams }) => rayStartParams)).toEqual([{}, { 'num-cpus': '2' }]);
  });

  it('returns the same object where nothing is missing', () => {
    const cluster = rayCluster('demo', withWorkerGroup('a'));
    expect(withRayClusterDefaults(cluster)).toBe(cluster);
  });

  it('changes nothing in the object that it is given', () => {
    const cluster = rayCluster('demo', withHead({ rayStartParams: null as never }));
    const before = structuredClone(cluster);
    expect(withRayClusterDefaults(cluster).spec?.headGroupSpec.rayStartParams).toEqual({});
    expect(cluster).toEqual(before);
  });
});

describe('defaults of single fields', () => {
  it.each([
    [undefined, 'redis'],
    [{}, 'redis'],
    [{ backend: '' as 'redis' }, 'redis'],
    [{ backend: 'rocksdb' as const }, 'rocksdb'],
  ])('the GCS backend of %j is %s', (options, backend) => {
    expect(gcsBackendOf(options)).toBe(backend);
  });

  it('a network policy closes both directions unless it says otherwise', () => {
    expect(networkPolicyModeOf({})).toBe('DenyAll');
    expect(networkPolicyModeOf({ mode: 'DenyAllEgress' })).toBe('DenyAllEgress');
  });
});
