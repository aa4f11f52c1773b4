import type { ClusterFacts } from '../cluster/facts.ts';
import type { OperatorOptions } from '../options/options.ts';
import { type Permission, permissionsOf } from './permission.ts';
import { ACCESS_RULES, type Capability } from './rules.ts';

/** The permissions that this installation will use, so that nobody is warned of what he does not need. */
export function relevantPermissions(options: OperatorOptions, facts: ClusterFacts): readonly Permission[] {
  const { gates, batchScheduler } = options;
  const isUsed: Readonly<Partial<Record<Capability, boolean>>> = {
    'leader election': options.isLeaderElectionOn,
    'dashboard through the API server': options.useKubernetesProxy,
    'OpenShift routes': facts.isOpenShift,
    'GCS storage claims': gates.GCSFaultToleranceEmbeddedStorage,
    'incremental upgrades': gates.RayServiceIncrementalUpgrade,
    'network policies': gates.RayClusterNetworkPolicy,
    mTLS: gates.RayClusterMTLS && facts.hasCertManager,
    Volcano: batchScheduler === 'volcano',
    'scheduler-plugins': batchScheduler === 'scheduler-plugins',
    'Kubernetes workload scheduling': batchScheduler === 'kubernetes-was',
  };
  return permissionsOf(ACCESS_RULES.filter(({ neededFor }) => isUsed[neededFor] ?? true));
}
