import type { Pod, ResourceQuota } from '@manta/api';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredObject } from '@manta/apiserver';
import { configMaps, jobs, pods, resourceQuotas, services } from '../framework/kinds.ts';
import { startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { quotaStatus } from './quota-status.ts';
import { quotaRefusal } from '../../../apiserver/src/quota/quota-usage.ts';

let test: TestCluster;

beforeEach(async () => {
  test = await startTestCluster();
  test.start(quotaStatus);
});

const claims = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  isNamespaced: true,
};
const hundred = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '100Gi']));
const quota = async (name: string, spec: ResourceQuota['spec']) => {
  await test.create(resourceQuotas, name, { spec: spec ?? {} });
  await test.settle();
};
const used = (name: string) => test.get(resourceQuotas, name).status?.used;
const worker = {
  containers: [
    {
      name: 'c',
      image: 'i',
      resources: {
        requests: { cpu: '1500m', memory: '1Gi', 'ephemeral-storage': '1Gi', 'nvidia.com/gpu': '1' },
        limits: { cpu: '2', memory: '2Gi', 'nvidia.com/gpu': '1' },
      },
    },
  ],
  initContainers: [
    {
      name: 'in',
      image: 'i',
      resources: { requests: { cpu: '3', memory: '1Mi' }, limits: { cpu: '3', memory: '1Mi' } },
    },
  ],
};

describe('the status of a quota', () => {
  it('counts what pods ask for, until they have ended', async () => {
    const hard = hundred(
      'pods',
      'count/pods',
      'cpu',
      'memory',
      'requests.cpu',
      'requests.memory',
      'limits.cpu',
      'limits.memory',
      'requests.ephemeral-storage',
      'requests.nvidia.com/gpu',
    );
    await quota('q', { hard });
    await test.create(pods, 'p', { spec: worker });
    await test.settle();
    expect(test.get(resourceQuotas, 'q').status).toEqual({
      hard,
      used: {
        'count/pods': '1',
        cpu: '3',
        'limits.cpu': '3',
        'limits.memory': '2Gi',
        memory: '1Gi',
        pods: '1',
        'requests.cpu': '3',
        'requests.ephemeral-storage': '1Gi',
        'requests.memory': '1Gi',
        'requests.nvidia.com/gpu': '1',
      },
    });
    await test.setStatus(pods, 'p', { phase: 'Succeeded' });
    expect(used('q')).toMatchObject({ pods: '0', 'count/pods': '1', 'requests.cpu': '0', 'limits.memory': '0' });
  });

  it('counts objects by name, load balancers, node ports and storage', async () => {
    await quota('q', {
      hard: hundred(
        'services',
        'services.loadbalancers',
        'services.nodeports',
        'configmaps',
        'secrets',
        'count/jobs.batch',
        'persistentvolumeclaims',
        'requests.storage',
        'fast.storageclass.storage.k8s.io/requests.storage',
        'resourcequotas',
        'replicationcontrollers',
        'count/widgets.example.com',
      ),
    });
    await test.create(services, 's', { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
    await test.create(configMaps, 'm');
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await test.create(jobs, 'j', { spec: { template } });
    await test.create(claims, 'c', {
      spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    } as never);
    await test.settle();
    expect(used('q')).toEqual({
      services: '1',
      'services.loadbalancers': '1',
      'services.nodeports': '1',
      configmaps: '1',
      secrets: '0',
      'count/jobs.batch': '1',
      persistentvolumeclaims: '1',
      'requests.storage': '1Gi',
      'fast.storageclass.storage.k8s.io/requests.storage': '1Gi',
      resourcequotas: '1',
      replicationcontrollers: '0',
    });
    await test.client.delete(configMaps, { name: 'm', namespace: 'default' });
    await test.settle();
    expect(used('q')).toMatchObject({ configmaps: '0' });
  });

  it('counts only the pods in its scope', async () => {
    const hard = { pods: '10' };
    const scopes = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating'];
    for (const scope of scopes) await quota(scope.toLowerCase(), { hard, scopes: [scope] });
    await test.create(pods, 'plain', { spec: { containers: [{ name: 'c', image: 'i' }] } });
    await test.create(pods, 'worker', { spec: { ...worker, activeDeadlineSeconds: 50 } });
    await test.create(pods, 'other', { spec: { ...worker, activeDeadlineSeconds: 50 } });
    await test.settle();
    expect(scopes.map((scope) => used(scope.toLowerCase()))).toEqual(
      ['1', '2', '2', '1'].map((count) => ({ pods: count })),
    );
  });

  it('follows a changed limit', async () => {
    await quota('q', { hard: { pods: '10' } });
    const body = { spec: { hard: { pods: '20' } } };
    await test.client.patch(resourceQuotas, { name: 'q', namespace: 'default' }, { type: 'merge', body });
    await test.settle();
    expect(test.get(resourceQuotas, 'q').status).toEqual({ hard: { pods: '20' }, used: { pods: '0' } });
  });
});

describe('a quota refuses', () => {
  const asPod = (spec: Pod['spec']) =>
    ({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec }) as unknown as StoredObject;
  const podResource = { group: '', plural: 'pods' };
  const refuse = (hard: Record<string, string>, now: Record<string, string>, spec: Pod['spec'], before?: Pod['spec']) =>
    quotaRefusal(
      { name: 'q', quota: { spec: { hard } }, used: now },
      podResource,
      asPod(spec),
      before === undefined ? undefined : asPod(before),
    );

  it('what goes beyond it', () => {
    expect(refuse({ 'requests.cpu': '1', pods: '5' }, { 'requests.cpu': '0', pods: '0' }, worker)).toBe(
      'exceeded quota: q, requested: requests.cpu=3, used: requests.cpu=0, limited: requests.cpu=1',
    );
    expect(refuse({ 'requests.cpu': '4', pods: '1' }, { 'requests.cpu': '2', pods: '1' }, worker)).toBe(
      'exceeded quota: q, requested: pods=1,requests.cpu=3, used: pods=1,requests.cpu=2, limited: pods=1,requests.cpu=4',
    );
    expect(refuse({ 'requests.cpu': '5', pods: '5' }, { 'requests.cpu': '2', pods: '1' }, worker)).toBeUndefined();
  });

  it('pods that do not say what they need', () => {
    const spec = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1500m' } } }] };
    const hard = hundred('cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory');
    expect(refuse(hard, {}, spec)).toBe(
      'failed quota: q: must specify limits.cpu for: c; limits.memory for: c; memory for: c; requests.memory for: c',
    );
  });

  it('of an update only what it adds', () => {
    expect(refuse({ 'requests.cpu': '3' }, { 'requests.cpu': '3' }, worker, worker)).toBeUndefined();
  });
});
