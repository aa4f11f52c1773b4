import type { RayClusterStatus, RayServiceStatus } from '@manta/api';

/** A RayCluster status without information, with the fields that the API server would add. */
export const EMPTY_CLUSTER_STATUS: RayClusterStatus = {
  desiredCPU: '0',
  desiredMemory: '0',
  desiredGPU: '0',
  desiredTPU: '0',
  head: {},
};

/** The status of a role without a cluster. */
export const EMPTY_SERVICE_STATUS: RayServiceStatus = { rayClusterStatus: EMPTY_CLUSTER_STATUS };
