import { beforeEach, describe, expect, it } from 'vitest';
import { endpointSlices, pods, services } from '@manta/controllers';
import { startTestCluster, type TestCluster } from '@manta/controllers/testing';
import { findDestination } from './find-pod.ts';

describe('who is behind', () => {
  let test: TestCluster;
  beforeEach(async () => {
    test = await startTestCluster();
    await test.create(pods, 'p', { spec: { containers: [{ name: 'c', image: 'i' }] } });
    await test.setStatus(pods, 'p', { phase: 'Running', podIP: '10.244.0.2', podIPs: [{ ip: '10.244.0.2' }] });
    const spec = { clusterIP: '10.0.0.7', ports: [{ name: 'http', port: 80 }] };
    await test.create(services, 'web', { spec });
    await test.create(endpointSlices, 'web-x', {
      metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8000 }],
      endpoints: [{ addresses: ['10.244.0.2'] }],
    });
  });

  it.each([
    ['a Service’s name', 'web.default.svc', 80, 8000],
    ['a Service’s address', '10.0.0.7', 80, 8000],
    ['a pod’s address', '10.244.0.2', 81, 81],
    ['a name that is nobody’s', 'web.other.svc', 80, undefined],
    ['an address that is nobody’s', '10.0.0.8', 80, undefined],
  ])('%s is found', (_, host, port, expected) => {
    expect(findDestination(test.cluster, host, port)?.port).toBe(expected);
  });
});
