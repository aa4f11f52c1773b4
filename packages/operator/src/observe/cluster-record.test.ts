import type { RayCluster } from '@manta/api';
import { Interner } from '@manta/runtime';
import { expect, it } from 'vitest';
import { clusterRecord } from './cluster-record.ts';

const MANAGED = { managedFields: [{ manager: 'kubectl' }] };

const cluster = (name: string): RayCluster => ({
  metadata: { name, ...MANAGED },
  spec: {
    headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [{ name: 'ray', image: 'ray:1' }] } } },
    workerGroupSpecs: [
      { groupName: 'small', replicas: 1, template: { spec: { containers: [{ name: 'ray', image: 'ray:1' }] } } },
    ],
  },
});

it('keeps equal templates once, of whichever clusters and groups, and nothing else is changed', () => {
  const intern = new Interner();
  const [a, b] = [clusterRecord(cluster('a'), intern), clusterRecord(cluster('b'), intern)];
  expect(a.spec?.headGroupSpec.template).toBe(b.spec?.headGroupSpec.template);
  expect(a.spec?.headGroupSpec.template).toBe(b.spec?.workerGroupSpecs?.[0]?.template);
  expect(a).toEqual({ ...cluster('a'), metadata: { name: 'a' } });
});

it('takes what the API server takes: no spec, no head, no groups', () => {
  for (const spec of [undefined, {}, { headGroupSpec: {} }] as unknown as RayCluster['spec'][]) {
    const given = { metadata: { name: 'a' }, ...(spec === undefined ? {} : { spec }) };
    expect(clusterRecord(given, new Interner())).toEqual(given);
  }
});
