import type { RayCluster } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { mirrored, NO_CLUSTER_STATUS } from './mirror.ts';

describe("a RayJob's copy of its cluster's status", () => {
  it("carries the cluster's own observedGeneration", () => {
    const cluster: RayCluster = { metadata: { name: 'c', generation: 1 }, status: { observedGeneration: 1 } };
    expect(mirrored({ cluster })).toEqual({ ...NO_CLUSTER_STATUS, observedGeneration: 1 });
  });

  it('is empty without a cluster', () => {
    expect(mirrored({ cluster: undefined })).toEqual(NO_CLUSTER_STATUS);
  });
});
