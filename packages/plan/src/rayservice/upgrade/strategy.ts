import { isIncrementalUpgradeEnabled, type RayServiceSpec, RayServiceUpgradeType } from '@manta/api';
import type { BuildContext } from '../../build/context.ts';

/** How a service takes a changed cluster spec. */
export type Strategy =
  /** Not at all. */
  | { readonly kind: 'none' }
  /** A second cluster is made, and gets all the traffic once it serves. */
  | { readonly kind: 'new-cluster' }
  /** The old cluster goes, and then the new one comes: for those who have no room for two. */
  | { readonly kind: 'recreate' }
  /** A second cluster is made, and gets capacity and traffic step by step. */
  | { readonly kind: 'incremental'; readonly options: IncrementalOptions };

/** Percentages and time between steps of an incremental upgrade. */
export interface IncrementalOptions {
  readonly surge: number;
  readonly step: number;
  readonly intervalMs: number;
  readonly gatewayClassName: string;
}

const FULL = 100;

export function strategyOf(spec: RayServiceSpec, { gates, env }: BuildContext): Strategy {
  if (isIncrementalUpgradeEnabled(spec, gates)) return { kind: 'incremental', options: incrementalOptionsOf(spec) };
  const type = spec.upgradeStrategy?.type;
  // An incremental upgrade whose gate is off is no upgrade: nothing moves traffic then.
  if (type === undefined) return { kind: env.zeroDowntime ? 'new-cluster' : 'none' };
  if (type === RayServiceUpgradeType.Recreate) return { kind: 'recreate' };
  return { kind: type === RayServiceUpgradeType.NewCluster ? 'new-cluster' : 'none' };
}

function incrementalOptionsOf({ upgradeStrategy }: RayServiceSpec): IncrementalOptions {
  const options = upgradeStrategy?.clusterUpgradeOptions;
  return {
    surge: options?.maxSurgePercent ?? FULL,
    step: options?.stepSizePercent ?? FULL,
    intervalMs: (options?.intervalSeconds ?? 0) * 1000,
    gatewayClassName: options?.gatewayClassName ?? '',
  };
}
