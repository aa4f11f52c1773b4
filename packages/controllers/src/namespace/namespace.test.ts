import { timestamp } from '@manta/api';
import { crds } from '@manta/api/crds';
import { beforeEach, describe, expect, it } from 'vitest';
import { configMaps, customResourceDefinitions, namespaces, pods, serviceAccounts } from '../framework/kinds.ts';
import { startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { namespaceDefaults } from './namespace-defaults.ts';
import { namespaceDeletion } from './namespace-deletion.ts';

const rayClusters = { group: 'ray.io', version: 'v1', plural: 'rayclusters', kind: 'RayCluster', isNamespaced: true };
const inSpace = { metadata: { namespace: 'team' } };

let test: TestCluster;

beforeEach(async () => {
  test = await startTestCluster();
  test.start(namespaceDeletion);
  await test.create(namespaces, 'team', { spec: { finalizers: ['kubernetes'] } });
});

const remove = async () => {
  await test.client.delete(namespaces, { name: 'team' });
  await test.settle();
};
const conditions = () =>
  test
    .get(namespaces, 'team')
    .status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]);
const DONE = [
  ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
  [
    'NamespaceDeletionGroupVersionParsingFailure',
    'False',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ],
  [
    'NamespaceDeletionContentFailure',
    'False',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
];

describe('deleting a namespace', () => {
  it('removes everything in it, custom resources too, and then the namespace', async () => {
    for (const crd of crds()) await test.create(customResourceDefinitions, crd.metadata?.name ?? '', crd);
    await test.create(configMaps, 'a', inSpace);
    await test.create(rayClusters, 'b', {
      ...inSpace,
      spec: { headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } },
    } as never);
    await remove();
    expect(test.find(namespaces, 'team')).toBeUndefined();
    expect(test.names(configMaps, 'team')).toEqual([]);
    expect(test.names(rayClusters, 'team')).toEqual([]);
    expect(test.errors).toEqual([]);
  });

  it('waits for pods first, then for finalizers, and says what is left', async () => {
    await test.create(configMaps, 'x', { metadata: { namespace: 'team', finalizers: ['example.com/f'] } });
    const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] };
    const pod = await test.create(pods, 'p', { ...inSpace, spec });
    await remove();
    expect(test.get(namespaces, 'team')).toMatchObject({
      metadata: { deletionTimestamp: timestamp(test.clock.now()) },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    });
    expect(conditions()).toEqual(DONE);
    expect(test.get(pods, 'p', 'team').metadata.deletionTimestamp).toBeDefined();
    expect(test.get(configMaps, 'x', 'team').metadata.deletionTimestamp).toBeUndefined();

    await test.client.delete(pods, pod.metadata, { gracePeriodSeconds: 0 });
    await test.settle();
    expect(conditions()).toEqual([
      ...DONE.slice(0, 3),
      [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        'Some resources are remaining: configmaps. has 1 resource instances',
      ],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.com/f in 1 resource instances',
      ],
    ]);

    const body = { metadata: { finalizers: null } };
    await test.client.patch(configMaps, { name: 'x', namespace: 'team' }, { type: 'merge', body });
    await test.settle();
    expect(test.find(namespaces, 'team')).toBeUndefined();
  });

  it('leaves other namespaces alone', async () => {
    await test.create(configMaps, 'a');
    await remove();
    expect(test.names(configMaps)).toEqual(['a']);
    expect(test.find(namespaces, 'default')).toBeDefined();
  });
});

describe('every namespace', () => {
  beforeEach(() => void test.start((cluster) => namespaceDefaults(cluster, { rootCa: 'PEM' })));

  it('has a default service account and the certificate of the API', async () => {
    await test.settle();
    expect(test.names(serviceAccounts, 'team')).toEqual(['default']);
    expect(test.get(configMaps, 'kube-root-ca.crt', 'team')).toMatchObject({
      metadata: {
        annotations: { 'kubernetes.io/description': expect.stringMatching(/^Contains a CA bundle that can/) },
      },
      data: { 'ca.crt': 'PEM' },
    });
  });

  it('gets them back when somebody deletes or changes them', async () => {
    await test.settle();
    const ref = { name: 'kube-root-ca.crt', namespace: 'team' };
    await test.client.delete(serviceAccounts, { name: 'default', namespace: 'team' });
    await test.client.patch(configMaps, ref, { type: 'merge', body: { data: { 'ca.crt': 'mine' } } });
    await test.settle();
    expect(test.names(serviceAccounts, 'team')).toEqual(['default']);
    expect(test.get(configMaps, 'kube-root-ca.crt', 'team').data).toEqual({ 'ca.crt': 'PEM' });
  });

  it('loses them for good when it is deleted', async () => {
    await test.settle();
    await remove();
    expect(test.find(namespaces, 'team')).toBeUndefined();
    expect(test.errors).toEqual([]);
  });
});
