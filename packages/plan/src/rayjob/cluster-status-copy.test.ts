import type { RayCluster } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { copyClusterStatus, EMPTY_CLUSTER_STATUS } from './cluster-status-copy.ts';

describe("a RayJob's copy of its cluster's status", () => {
  it("carries the cluster's own observedGeneration", () => {
    const cluster: RayCluster = { metadata: { name: 'c', generation: 1 }, status: { observedGeneration: 1 } };
    expect(copyClusterStatus({ cluster })).toEqual({ ...EMPTY_CLUSTER_STATUS, observedGeneration: 1 });
  });

  it('is empty without a cluster', () => {
    expect(copyClusterStatus({ cluster: undefined })).toEqual(EMPTY_CLUSTER_STATUS);
  });
});
