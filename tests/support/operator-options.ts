import { defaultFeatureGates, LogEncoder } from '@manta/api';
import type { OperatorOptions } from '../../packages/operator/src/options/options.ts';

/** Options of an operator inside a test: alone, without servers of its own, and silent. */
export function operatorOptions(changes: Partial<OperatorOptions> = {}): OperatorOptions {
  return {
    metricsAddress: '',
    probeAddress: '',
    isLeaderElectionOn: false,
    leaderElectionNamespace: '',
    concurrency: 4,
    watchNamespaces: [],
    log: {
      encoder: LogEncoder.Json,
      file: '',
      fileEncoder: LogEncoder.Json,
      isDevelopment: false,
      level: undefined,
      stacktraceLevel: undefined,
    },
    batchScheduler: undefined,
    podDefaults: {},
    useKubernetesProxy: false,
    deleteRayJobAfterJobFinishes: false,
    areRayMetricsOn: false,
    rateLimit: undefined,
    gates: defaultFeatureGates(),
    kubeconfig: '',
    notes: [],
    ...changes,
  };
}

/** A cluster without anything special. */
export const PLAIN_CLUSTER = {
  kubernetes: [1, 36, 0],
  gitVersion: 'v1.36.0',
  isOpenShift: false,
  hasCertManager: false,
  workloadSchedulingVersion: undefined,
} as const;
