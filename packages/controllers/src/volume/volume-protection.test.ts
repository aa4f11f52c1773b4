import { beforeEach, describe, expect, it } from 'vitest';
import { persistentVolumeClaims, persistentVolumes, pods } from '../framework/kinds.ts';
import { SPACE, startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { volumeProtection } from './volume-protection.ts';

let test: TestCluster;

beforeEach(async () => {
  test = await startTestCluster();
  test.start(volumeProtection);
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await test.create(persistentVolumeClaims, 'data', { spec });
  await test.settle();
});

const remove = async () => {
  await test.client.delete(persistentVolumeClaims, { name: 'data', namespace: SPACE });
  await test.settle();
};
const user = (nodeName?: string) =>
  test.create(pods, 'p', {
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });

describe('a claim', () => {
  it('carries a finalizer, and goes when nobody uses it', async () => {
    expect(test.get(persistentVolumeClaims, 'data').metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await remove();
    expect(test.names(persistentVolumeClaims)).toEqual([]);
  });

  it('stays until the pod that uses it has ended', async () => {
    await user('node-1');
    await remove();
    expect(test.get(persistentVolumeClaims, 'data').metadata.deletionTimestamp).toBeDefined();
    await test.setStatus(pods, 'p', { phase: 'Succeeded' });
    expect(test.names(persistentVolumeClaims)).toEqual([]);
  });

  it('does not wait for a pod that has no node yet', async () => {
    await user();
    await remove();
    expect(test.names(persistentVolumeClaims)).toEqual([]);
  });
});

describe('a volume', () => {
  it('stays while it is bound', async () => {
    await test.create(persistentVolumes, 'vol', {
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp' } },
    } as never);
    await test.setStatus(persistentVolumes, 'vol', { phase: 'Bound' });
    await test.client.delete(persistentVolumes, { name: 'vol' });
    await test.settle();
    expect(test.get(persistentVolumes, 'vol').metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    await test.setStatus(persistentVolumes, 'vol', { phase: 'Released' });
    expect(test.names(persistentVolumes)).toEqual([]);
  });
});
