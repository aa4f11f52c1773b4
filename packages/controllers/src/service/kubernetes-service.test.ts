import type { Service } from '@manta/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { endpointSlices, endpoints, services } from '../framework/kinds.ts';
import { startTestCluster, type TestCluster } from '../testing/test-cluster.ts';
import { endpointSliceController } from './endpoint-slices.ts';
import { endpointsController } from './endpoints.ts';
import { kubernetesEndpoints, kubernetesService } from './kubernetes-service.ts';

let test: TestCluster;
beforeEach(async () => {
  test = await startTestCluster();
});

const start = async (host = '10.244.0.1') => {
  const stop = test.start(kubernetesService, endpointsController, endpointSliceController, (cluster) =>
    kubernetesEndpoints(cluster, { host, port: 6443 }),
  );
  await test.settle();
  return stop;
};
const addresses = () => [
  test.get(endpointSlices, 'kubernetes').endpoints?.[0]?.addresses[0],
  test.get(endpoints, 'kubernetes').subsets?.[0]?.addresses?.[0]?.ip,
];

describe('the Service of the API server', () => {
  it('is there from the start, at the first address, and leads to it', async () => {
    await start();
    expect(test.get(services, 'kubernetes')).toMatchObject({
      metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
    });
    expect(test.get(endpointSlices, 'kubernetes')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      ports: [{ name: 'https', port: 6443 }],
    });
    expect(addresses()).toEqual(['10.244.0.1', '10.244.0.1']);
    expect(test.errors).toEqual([]);
  });

  it('comes back with its endpoint when it is deleted', async () => {
    await start();
    await test.client.delete(services, { namespace: 'default', name: 'kubernetes' });
    await test.settle();
    expect(test.get(services, 'kubernetes').spec?.clusterIP).toBe('10.0.0.1');
    expect(addresses()).toEqual(['10.244.0.1', '10.244.0.1']);
  });

  it('follows the API server to another address', async () => {
    const stop = await start();
    stop();
    await start('10.244.0.9');
    expect(addresses()).toEqual(['10.244.0.9', '10.244.0.9']);
  });

  it('has another address where somebody has its own', async () => {
    const spec: Service['spec'] = { clusterIP: '10.0.0.1', ports: [{ port: 80 }] };
    await test.create(services, 'first', { spec });
    await start();
    expect(test.get(services, 'kubernetes').spec?.clusterIP).toMatch(/^10\.0\./);
  });
});
