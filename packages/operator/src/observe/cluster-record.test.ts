import type { RayCluster } from '@manta/api';
import { expect, it } from 'vitest';
import { clusterRecords } from './cluster-record.ts';

const MANAGED = { managedFields: [{ manager: 'kubectl' }] };

const cluster = (name: string, image = 'ray:1'): RayCluster => ({
  metadata: { name, ...MANAGED },
  spec: {
    headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [{ name: 'ray', image }] } } },
    workerGroupSpecs: [
      { groupName: 'small', replicas: 1, template: { spec: { containers: [{ name: 'ray', image }] } } },
    ],
  },
});

it('keeps equal templates once, of whichever clusters and groups, and nothing else is changed', () => {
  const record = clusterRecords();
  const [a, b] = [record(cluster('a')), record(cluster('b'))];
  expect(a.spec?.headGroupSpec.template).toBe(b.spec?.headGroupSpec.template);
  expect(a.spec?.headGroupSpec.template).toBe(b.spec?.workerGroupSpecs?.[0]?.template);
  expect(a).toEqual({ ...cluster('a'), metadata: { name: 'a' } });
});

it('takes what the API server takes: no spec, no head, no groups', () => {
  for (const spec of [undefined, {}, { headGroupSpec: {} }] as unknown as RayCluster['spec'][]) {
    const given = { metadata: { name: 'a' }, ...(spec === undefined ? {} : { spec }) };
    expect(clusterRecords()(given)).toEqual(given);
  }
});

it('lets go of the templates of clusters that are gone, and shares on those that are in use', () => {
  const record = clusterRecords();
  const templateOf = (image: string) => record(cluster('a', image)).spec?.headGroupSpec.template;
  const [gone, used] = [templateOf('gone'), templateOf('used')];
  for (let n = 0; n < 1000; n++) {
    templateOf(`own-${n}`);
    expect(templateOf('used')).toBe(used);
  }
  expect(templateOf('gone')).not.toBe(gone);
});
