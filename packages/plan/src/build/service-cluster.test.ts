import { rayClusterSpec } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { buildServiceCluster } from './service-cluster.ts';

describe('the RayCluster of a RayService', () => {
  const build = (annotations: Record<string, string>) =>
    buildServiceCluster(
      {
        metadata: { name: 'svc', namespace: 'ml', uid: 'u', annotations },
        spec: { rayClusterConfig: rayClusterSpec() },
      },
      rayClusterSpec(),
      'svc-abcde',
      '0.1.0',
    ).metadata?.annotations;

  it("gets the user's annotations of the service", () => {
    expect(build({ team: 'search' })).toMatchObject({ team: 'search', 'ray.io/kuberay-version': '0.1.0' });
  });

  it("does not get kubectl's last-applied-configuration, which describes the service", () => {
    const key = 'kubectl.kubernetes.io/last-applied-configuration';
    expect(build({ [key]: '{}' })).not.toHaveProperty([key]);
  });
});
