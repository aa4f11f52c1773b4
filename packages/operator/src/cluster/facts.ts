import type { CallOptions, KubeClient } from '@manta/kube';

/** What the operator has to know of the cluster it runs in, asked at start. */
export interface ClusterFacts {
  /** `major.minor.patch` numbers of the API server. */
  readonly kubernetes: readonly [number, number, number];
  readonly gitVersion: string;
  readonly isOpenShift: boolean;
  readonly hasCertManager: boolean;
  /** The best served version of scheduling.k8s.io that has workloads, if any. */
  readonly workloadSchedulingVersion: string | undefined;
}

interface ApiGroupList {
  readonly groups?: readonly { readonly name: string; readonly versions?: readonly { readonly version: string }[] }[];
}

const OPENSHIFT_GROUPS = new Set(['route.openshift.io', 'security.openshift.io', 'config.openshift.io']);
/** Newest first; only versions that we have a scheduler for. */
const WORKLOAD_VERSIONS = ['v1alpha2'];

/** Two requests: /version and /apis. */
export async function discoverFacts(client: KubeClient, options: CallOptions = {}): Promise<ClusterFacts> {
  const [version, groups] = await Promise.all([
    client.getPath<{ readonly gitVersion?: string }>('/version', options),
    client.getPath<ApiGroupList>('/apis', options),
  ]);
  return factsFrom(version.gitVersion ?? '', groups);
}

/** The reading of the two answers; pure. */
export function factsFrom(gitVersion: string, groups: ApiGroupList): ClusterFacts {
  const versionsOf = (name: string) =>
    groups.groups?.find((group) => group.name === name)?.versions?.map((v) => v.version) ?? [];
  const scheduling = versionsOf('scheduling.k8s.io');
  return {
    kubernetes: parseKubernetesVersion(gitVersion),
    gitVersion,
    isOpenShift: groups.groups?.some((group) => OPENSHIFT_GROUPS.has(group.name)) ?? false,
    hasCertManager: versionsOf('cert-manager.io').includes('v1'),
    workloadSchedulingVersion: WORKLOAD_VERSIONS.find((version) => scheduling.includes(version)),
  };
}

/** Whether the API server is at least that minor version. A version that cannot be read counts as old. */
export function isAtLeast(facts: ClusterFacts, major: number, minor: number): boolean {
  const [actualMajor, actualMinor] = facts.kubernetes;
  return actualMajor > major || (actualMajor === major && actualMinor >= minor);
}

function parseKubernetesVersion(gitVersion: string): readonly [number, number, number] {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(gitVersion);
  return [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0), Number(match?.[3] ?? 0)];
}
