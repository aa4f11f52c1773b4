import type { OperatorEnv } from '@manta/api';
import { certificateIssuer } from '../cluster/certificate-issuer.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import type { OperatorOptions } from '../options/options.ts';
import { type Permission, permissionsOf } from './permission.ts';
import { ACCESS_RULES, type Capability } from './rules.ts';

/**
 * The permissions that this installation uses, so that unused ones cause no warning. Permissions on the lease are needed only in its
 * namespace, and not at all without leader election.
 */
export function relevantPermissions(
  options: OperatorOptions,
  facts: ClusterFacts,
  env: Pick<
    OperatorEnv,
    'headDisruptionBudget' | 'issuesMtlsCertificates' | 'upgradeCapacityCheck' | 'webhooks' | 'webhookCertSecret'
  >,
  leaseNamespace: string | undefined,
): readonly Permission[] {
  const { gates, batchScheduler } = options;
  const isUsed: Readonly<Partial<Record<Capability, boolean>>> = {
    'leader election': leaseNamespace !== undefined,
    'dashboard through the API server': options.useKubernetesProxy,
    'OpenShift routes': facts.isOpenShift,
    'disruption budgets of heads': env.headDisruptionBudget,
    'capacity checks before upgrades': env.upgradeCapacityCheck,
    'webhook certificates': env.webhooks && env.webhookCertSecret !== undefined,
    'GCS storage claims': gates.GCSFaultToleranceEmbeddedStorage,
    'incremental upgrades': gates.RayServiceIncrementalUpgrade,
    'network policies': gates.RayClusterNetworkPolicy,
    mTLS: certificateIssuer(options, facts, env) === 'cert-manager',
    Volcano: batchScheduler === 'volcano',
    'scheduler-plugins': batchScheduler === 'scheduler-plugins',
    'Kubernetes workload scheduling': batchScheduler === 'kubernetes-was',
  };
  const used = permissionsOf(ACCESS_RULES.filter(({ neededFor }) => isUsed[neededFor] ?? true));
  return used.map((permission) =>
    permission.neededFor === 'leader election' ? { ...permission, namespace: leaseNamespace } : permission,
  );
}
