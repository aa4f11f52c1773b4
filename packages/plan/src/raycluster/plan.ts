import { isManagedExternally, withRayClusterDefaults } from '@manta/api';
import { NOTHING, type Plan } from '../plan.ts';
import { checkRayCluster } from './check.ts';
import type { ObservedRayCluster } from './observed.ts';

/** What happens to a RayCluster, from top to bottom. */
export function planRayCluster(observed: ObservedRayCluster): Plan {
  const { spec } = observed.cluster;
  if (spec === undefined || isManagedExternally(spec)) return NOTHING;
  const cluster = withRayClusterDefaults(observed.cluster);
  const { actions } = checkRayCluster({ ...observed, cluster });
  return { actions };
}
