import { isIncrementalUpgradeEnabled, type RayServiceSpec, RayServiceUpgradeType } from '@manta/api';
import type { BuildContext } from '../../build/context.ts';

/** `spec.upgradeStrategy`: what a change of the cluster's spec leads to. */
export type Strategy =
  /** None: the change is ignored. */
  | { readonly kind: 'none' }
  /** NewCluster: a pending cluster is created and gets all traffic at once when it serves. */
  | { readonly kind: 'new-cluster' }
  /** Recreate: the old cluster is deleted before the new one is created, for Kubernetes clusters without capacity for both. */
  | { readonly kind: 'recreate' }
  /** NewClusterWithIncrementalUpgrade, a canary rollout: a pending cluster is created and gets capacity and traffic in steps. */
  | { readonly kind: 'incremental'; readonly options: IncrementalOptions };

/** `upgradeStrategy.clusterUpgradeOptions` with its defaults. */
export interface IncrementalOptions {
  readonly maxSurgePercent: number;
  readonly stepSizePercent: number;
  readonly intervalMs: number;
  readonly gatewayClassName: string;
}

export function strategyOf(spec: RayServiceSpec, { gates, env }: BuildContext): Strategy {
  if (isIncrementalUpgradeEnabled(spec, gates)) return { kind: 'incremental', options: incrementalOptionsOf(spec) };
  const type = spec.upgradeStrategy?.type;
  if (type === undefined) return { kind: env.zeroDowntime ? 'new-cluster' : 'none' };
  if (type === RayServiceUpgradeType.Recreate) return { kind: 'recreate' };
  // The incremental strategy with its feature gate off ends here too: without the gate nothing could move traffic.
  return { kind: type === RayServiceUpgradeType.NewCluster ? 'new-cluster' : 'none' };
}

function incrementalOptionsOf({ upgradeStrategy }: RayServiceSpec): IncrementalOptions {
  const options = upgradeStrategy?.clusterUpgradeOptions;
  return {
    maxSurgePercent: options?.maxSurgePercent ?? 100,
    stepSizePercent: options?.stepSizePercent ?? 100,
    intervalMs: (options?.intervalSeconds ?? 0) * 1000,
    gatewayClassName: options?.gatewayClassName ?? '',
  };
}
