import type { Container, PodTemplateSpec, RayCluster, RayClusterSpec, RayJob } from '@manta/api';

/**
 * What Kueue's job framework asks of Ray's objects and does to them, as its published integrations do: when something is active, ready
 * or finished, which pods it stands for, and what is put into the templates on admission.
 */

/** Where admitted pods have to go, and what keeps them apart. */
export interface PodSetInfo {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly tolerations?: readonly { readonly key: string; readonly operator: 'Exists' }[];
  readonly schedulingGates?: readonly { readonly name: string }[];
}

export const clusterIsActive = ({ status }: RayCluster) => status?.state === 'ready';
export const clusterPodsReady = clusterIsActive;
export const clusterPodSelector = ({ metadata }: RayCluster) => `ray.io/cluster=${metadata?.name}`;

export const jobIsActive = ({ status }: RayJob) =>
  status?.jobDeploymentStatus !== 'Suspended' && (status?.jobDeploymentStatus ?? '') !== '';
export const jobIsFinished = ({ status }: RayJob) =>
  status?.jobDeploymentStatus === 'Failed' || status?.jobDeploymentStatus === 'Complete';
export const jobPodSelector = ({ status }: RayJob) =>
  status?.rayClusterName ? `ray.io/cluster=${status.rayClusterName}` : undefined;

/** The spec as admission leaves it: no longer suspended, with the same info in every template. */
export function admitted(spec: RayClusterSpec, info: PodSetInfo): RayClusterSpec {
  return { ...withInfo(spec, info), suspend: false };
}

/** The same for a spec that is part of a RayJob, which has its own `suspend`. */
export function withInfo(spec: RayClusterSpec, info: PodSetInfo): RayClusterSpec {
  return {
    ...spec,
    headGroupSpec: { ...spec.headGroupSpec, template: merged(spec.headGroupSpec.template, info) },
    workerGroupSpecs: spec.workerGroupSpecs?.map((group) => ({ ...group, template: merged(group.template, info) })),
  } as RayClusterSpec;
}

function merged(template: PodTemplateSpec, { labels, ...placement }: PodSetInfo): PodTemplateSpec {
  return {
    metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } },
    spec: { containers: [], ...template.spec, ...placement },
  };
}

/** The object that Kueue makes to queue a cluster. */
export function workloadOf(cluster: RayCluster): object {
  const { spec, metadata } = cluster;
  const podSet = (name: string, count: number, template: PodTemplateSpec | undefined) => ({
    name,
    count,
    template: { metadata: template?.metadata ?? {}, spec: { ...template?.spec, containers: containersOf(template) } },
  });
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta1',
    kind: 'Workload',
    metadata: {
      name: `raycluster-${metadata?.name}-12345`,
      namespace: metadata?.namespace,
      ownerReferences: [
        { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: metadata?.name, uid: metadata?.uid, controller: true },
      ],
    },
    spec: {
      queueName: 'team',
      podSets: [
        podSet('head', 1, spec?.headGroupSpec.template),
        ...(spec?.workerGroupSpecs ?? []).map((group) =>
          podSet(group.groupName ?? '', (group.replicas ?? 1) * Math.max(1, group.numOfHosts ?? 1), group.template),
        ),
      ],
    },
  };
}

const containersOf = (template: PodTemplateSpec | undefined): readonly Container[] => template?.spec?.containers ?? [];
