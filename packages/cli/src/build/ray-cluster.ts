import {
  isZeroQuantity,
  parseQuantity,
  type PodTemplateSpec,
  type RayCluster,
  type RayClusterSpec,
  type ResourceRequirements,
} from '@manta/api';
import { GPU, TPU } from '../output/amount-text.ts';
import { type ClusterConfig, DEFAULT_GROUP, type NodeConfig, type WorkerGroupConfig } from './cluster-config.ts';
import { withGcsfuse } from './gcsfuse.ts';

/** The RayCluster that a configuration describes, as it is applied. */
export function rayClusterOf(config: ClusterConfig, namespace: string, name: string): RayCluster {
  const { labels, annotations } = config;
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name, namespace, ...(isFilled(labels) && { labels }), ...(isFilled(annotations) && { annotations }) },
    spec: rayClusterSpecOf(config),
  };
}

const HEAD_PORTS = [
  { containerPort: 6379, name: 'gcs-server' },
  { containerPort: 8265, name: 'dashboard' },
  { containerPort: 10_001, name: 'client' },
] as const;

export function rayClusterSpecOf(config: ClusterConfig): RayClusterSpec {
  const { head, workerGroups, autoscaler, rayVersion } = config;
  return {
    rayVersion,
    headGroupSpec: {
      rayStartParams: head.rayStartParams ?? {},
      template: templateOf(config, head, { name: 'ray-head', ports: HEAD_PORTS }),
    },
    workerGroupSpecs: workerGroups.map((group, index) => ({
      groupName: group.name ?? (index === 0 ? DEFAULT_GROUP : `${DEFAULT_GROUP}-${index}`),
      replicas: group.replicas,
      ...(group.numOfHosts !== undefined && { numOfHosts: group.numOfHosts }),
      rayStartParams: group.rayStartParams ?? {},
      template: templateOf(config, group, { name: 'ray-worker' }),
    })),
    ...(autoscaler !== undefined && { enableInTreeAutoscaling: true, autoscalerOptions: { version: autoscaler } }),
  };
}

function templateOf(
  { image, serviceAccount, gcsfuse }: ClusterConfig,
  node: NodeConfig | WorkerGroupConfig,
  container: { readonly name: string; readonly ports?: typeof HEAD_PORTS },
): PodTemplateSpec {
  const { nodeSelectors } = node;
  const template = {
    spec: {
      ...(isFilled(nodeSelectors) && { nodeSelector: nodeSelectors }),
      ...(serviceAccount && { serviceAccountName: serviceAccount }),
      containers: [{ ...container, image, resources: resourcesOf(node) }],
    },
  };
  return gcsfuse === undefined ? template : withGcsfuse(template, gcsfuse);
}

/** Requests for everything that is not zero; limits for all but CPU, whose limit would only slow Ray down. */
export function resourcesOf(node: NodeConfig & Pick<WorkerGroupConfig, 'tpu'>): ResourceRequirements {
  const asked = {
    cpu: node.cpu,
    memory: node.memory,
    'ephemeral-storage': node.ephemeralStorage,
    [GPU]: node.gpu,
    [TPU]: node.tpu,
  };
  const requests = Object.fromEntries(
    Object.entries(asked).flatMap(([name, value]) =>
      value === undefined || isNothing(value) ? [] : [[name, value] as const],
    ),
  );
  const limits = Object.fromEntries(Object.entries(requests).filter(([name]) => name !== 'cpu'));
  return { requests, limits };
}

function isNothing(value: string): boolean {
  if (value === '') return true;
  const parsed = parseQuantity(value);
  return parsed.ok && isZeroQuantity(parsed.value);
}

function isFilled(map: Readonly<Record<string, string>> | undefined): map is Readonly<Record<string, string>> {
  return map !== undefined && Object.keys(map).length > 0;
}
