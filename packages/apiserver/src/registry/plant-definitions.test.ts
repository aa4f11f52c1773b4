import { crds, sharedCrds } from '@manta/api/crds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../testing/start-test-engine.ts';
import { DEFINITIONS } from './definitions.ts';
import { plantDefinitions } from './plant-definitions.ts';

/** What differs from one write to the next. */
const varying = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'lastTransitionTime']);

function lasting(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, child: unknown) => (varying.has(key) ? '…' : child)));
}

const customResourceDefinitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  isNamespaced: false,
} as const;

describe('plantDefinitions()', () => {
  let planted: TestEngine;
  let applied: TestEngine;
  let names: readonly string[] = [];
  beforeAll(async () => {
    [planted, applied] = [await startTestEngine(), await startTestEngine()];
    names = await plantDefinitions(planted.api, sharedCrds(), 'manta');
    for (const crd of crds()) {
      const { name = '' } = crd.metadata ?? {};
      const patch = { type: 'apply', body: crd, fieldManager: 'manta', force: true } as const;
      await applied.client.patch(customResourceDefinitions, { name }, patch);
    }
  });
  afterAll(async () => {
    await planted.stop();
    await applied.stop();
  });

  it('stores what an apply stores, to the last field', () => {
    const ours = planted.api.store.list(DEFINITIONS);
    expect(ours).toHaveLength(4);
    expect(lasting(ours)).toEqual(lasting(applied.api.store.list(DEFINITIONS)));
  });

  it('serves them when it returns, and takes one write for each', () => {
    expect(planted.api.registry.find('ray.io', 'v1alpha1', 'rayjobs')).toBeDefined();
    const versions = planted.api.store.list(DEFINITIONS).map(({ metadata }) => Number(metadata.resourceVersion));
    expect(Math.max(...versions) - Math.min(...versions)).toBe(3);
  });

  it('says which it stored, and leaves alone what is there', async () => {
    expect(names).toHaveLength(4);
    const { revision } = planted.api.store;
    expect(await plantDefinitions(planted.api, sharedCrds(), 'manta')).toEqual([]);
    expect(planted.api.store.revision).toBe(revision);
  });
});
