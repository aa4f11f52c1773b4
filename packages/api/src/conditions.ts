/** Messages of a RayCluster's conditions that never vary; types and reasons stand beside the kinds' own types. */
export const RayClusterConditionMessage = {
  AllPodsReadyFirstTime: 'All Ray Pods are ready for the first time',
  PodsProvisioning: 'RayCluster Pods are being provisioned for first time',
  Suspended: 'RayCluster has been suspended',
  HeadPodNotFound: 'Head Pod not found',
} as const;
