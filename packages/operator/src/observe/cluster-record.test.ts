import type { RayCluster } from '@manta/api';
import { Interner } from '@manta/runtime';
import { expect, it } from 'vitest';
import { clusterRecords } from './cluster-record.ts';

const MANAGED = { managedFields: [{ manager: 'kubectl' }] };

const records = () => {
  const [record, intern] = [clusterRecords(), new Interner()];
  return (given: RayCluster) => record(given, intern);
};

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
  const record = records();
  const [a, b] = [record(cluster('a')), record(cluster('b'))];
  expect(a.spec?.headGroupSpec.template).toBe(b.spec?.headGroupSpec.template);
  expect(a.spec?.headGroupSpec.template).toBe(b.spec?.workerGroupSpecs?.[0]?.template);
  expect(a).toEqual({ ...cluster('a'), metadata: { name: 'a' } });
});

it('takes what the API server takes: no spec, no head, no groups', () => {
  for (const spec of [undefined, {}, { headGroupSpec: {} }] as unknown as RayCluster['spec'][]) {
    const given = { metadata: { name: 'a' }, ...(spec === undefined ? {} : { spec }) };
    expect(records()(given)).toEqual(given);
  }
});

it('lets go of the templates of clusters that are gone, and shares on those that are in use', () => {
  const record = records();
  const templateOf = (image: string) => record(cluster('a', image)).spec?.headGroupSpec.template;
  const [gone, used] = [templateOf('gone'), templateOf('used')];
  for (let n = 0; n < 1000; n++) {
    templateOf(`own-${n}`);
    expect(templateOf('used')).toBe(used);
  }
  expect(templateOf('gone')).not.toBe(gone);
});

it('changes nothing in conditions, whose words are shared', () => {
  const record = records();
  const condition = {
    type: 'HeadPodReady',
    status: 'True' as const,
    reason: 'HeadPodRunningAndReady',
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
  };
  const given = { metadata: { name: 'a' }, status: { state: 'ready' as const, conditions: [condition] } };
  expect(record(given)).toEqual(given);
});
