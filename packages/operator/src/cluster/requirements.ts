import type { OperatorOptions } from '../options/options.ts';
import { type ClusterFacts, isAtLeast } from './facts.ts';

/** What the options require but this Kubernetes cluster lacks, in one sentence; undefined when nothing is missing. */
export function unmetRequirement({ gates, batchScheduler }: OperatorOptions, facts: ClusterFacts): string | undefined {
  if (gates.SidecarSubmitterRestart && !isAtLeast(facts, 1, 35)) {
    return `the feature gate SidecarSubmitterRestart needs Kubernetes 1.35 or newer, and this API server is ${facts.gitVersion}: switch the gate off or upgrade`;
  }
  if (batchScheduler === 'kubernetes-was' && facts.workloadSchedulingVersion === undefined) {
    return 'the feature gate KubernetesWAS needs workloads in scheduling.k8s.io, and this API server does not serve them: enable the API scheduling.k8s.io/v1alpha2 (Kubernetes 1.36) or switch the gate off';
  }
  return undefined;
}
