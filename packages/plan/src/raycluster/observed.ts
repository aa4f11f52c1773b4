import type { FeatureGates, RayCluster } from '@manta/api';

/** Everything a decision about a RayCluster needs, gathered at one moment. */
export interface ObservedRayCluster {
  readonly cluster: RayCluster;
  readonly gates: FeatureGates;
  /** What else is installed in the Kubernetes cluster. */
  readonly installed: { readonly certManager: boolean };
}
