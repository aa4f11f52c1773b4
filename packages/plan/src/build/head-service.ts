import {
  GroupName,
  Label,
  LabelValue,
  NodeType,
  podNames,
  type RayCluster,
  type RayClusterSpec,
  type Service,
  type ServicePort,
  type ServiceSpec,
  type StringMap,
  serviceNames,
} from '@manta/api';
import { childMetadata } from './child-metadata.ts';
import type { BuildContext } from './context.ts';
import { draftOf, rayContainerOf } from './pod-draft.ts';
import { podLabels } from './pod-labels.ts';
import { dashboardPort, headServicePorts, portsOfUser } from './service-ports.ts';

/** The Service through which workers and clients reach the head. Fields of the user's `headService` win; missing ones are added. */
export function buildHeadService(cluster: RayCluster, spec: RayClusterSpec, context: BuildContext): Service {
  const { headService, template } = spec.headGroupSpec;
  const name = serviceNames.head(cluster.metadata?.name ?? '', headService?.metadata?.name);
  const podsLabels = headPodLabels(cluster, spec);
  const annotations = { ...headService?.metadata?.annotations, ...spec.headServiceAnnotations };
  const labels = { ...headService?.metadata?.labels, ...findableLabels(cluster, podsLabels) };
  const ports = headServicePorts(rayContainerOf(draftOf(template).spec));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...headService?.metadata, ...childMetadata(cluster, name, labels, annotations) },
    spec: {
      ...headService?.spec,
      ...kindOfService(spec, context),
      selector: selectorOf(podsLabels),
      ports: withDefaults(portsOfUser(headService?.spec?.ports), ports),
    },
  };
}

/** The dashboard port of the head pod. */
export function headDashboardPort({ headGroupSpec }: RayClusterSpec): number {
  return dashboardPort(rayContainerOf(draftOf(headGroupSpec.template).spec));
}

/** The labels that select a cluster's head Service, whatever its name. */
export function headServiceSelector(cluster: string): StringMap {
  return {
    [Label.Cluster]: cluster,
    [Label.NodeType]: NodeType.Head,
    [Label.Identifier]: podNames.identifier(cluster, NodeType.Head),
  };
}

/**
 * The Service is headless by default. It publishes the head's address before Ray is ready, because workers join early.
 */
function kindOfService({ headGroupSpec }: RayClusterSpec, { env }: BuildContext): ServiceSpec {
  const { headService, serviceType } = headGroupSpec;
  const type = headService?.spec?.type || serviceType;
  const isPlain = headService === undefined && (!type || type === 'ClusterIP');
  return {
    ...(type ? { type } : {}),
    ...(isPlain && !env.rayHeadClusterIpService ? { clusterIP: 'None', publishNotReadyAddresses: true } : {}),
  };
}

/** Port names and numbers must be unique; the user's port wins. */
function withDefaults(own: readonly ServicePort[], defaults: readonly ServicePort[]): readonly ServicePort[] {
  const names = new Set(own.map(({ name }) => name));
  const numbers = new Set(own.filter(({ protocol = 'TCP' }) => protocol === 'TCP').map(({ port }) => port));
  return [...own, ...defaults.filter(({ name, port }) => !names.has(name) && !numbers.has(port))];
}

function headPodLabels(cluster: RayCluster, { headGroupSpec }: RayClusterSpec): StringMap {
  return podLabels(cluster.metadata?.name ?? '', NodeType.Head, GroupName.Head, {
    template: headGroupSpec.template.metadata?.labels,
    group: headGroupSpec.labels,
  });
}

const SELECTED = [Label.Cluster, Label.NodeType, Label.Identifier, Label.AppName, Label.AppCreatedBy] as const;

/** The labels on the head pod, even if the user set other values. */
function selectorOf(labels: StringMap): StringMap {
  return Object.fromEntries(SELECTED.map((key) => [key, labels[key] ?? '']));
}

function findableLabels(cluster: RayCluster, labels: StringMap): StringMap {
  return {
    ...selectorOf(labels),
    ...headServiceSelector(cluster.metadata?.name ?? ''),
    [Label.AppCreatedBy]: LabelValue.CreatedBy,
  };
}
