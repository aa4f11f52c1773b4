import {
  DefaultPort,
  Label,
  LabelValue,
  NodeType,
  PortName,
  podNames,
  type RayCluster,
  type RayService,
  type RayServiceSpec,
  type Service,
  type ServicePort,
  type StringMap,
  serviceNames,
} from '@manta/api';
import type { BuildContext } from './context.ts';
import { buildHeadService } from './head-service.ts';
import { controllerReference } from './owner.ts';
import { draftOf, rayContainerOf } from './pod-draft.ts';
import { originLabels } from './service-cluster.ts';
import { portsOfUser, servePorts } from './service-ports.ts';

/** The Service that selects the head of the active cluster. */
export function buildServiceHeadService(service: RayService, cluster: RayCluster, context: BuildContext): Service {
  const { name = '', namespace = '' } = service.metadata ?? {};
  const spec = cluster.spec ?? { headGroupSpec: { template: {} } };
  const { spec: serviceSpec } = buildHeadService(cluster, spec, context);
  const { annotations } = spec.headGroupSpec.headService?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serviceNames.head(name),
      namespace,
      labels: {
        ...originLabels(name),
        [Label.NodeType]: NodeType.Head,
        [Label.Identifier]: podNames.identifier(name, NodeType.Head),
      },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference('RayService', service)],
    },
    ...(serviceSpec === undefined ? {} : { spec: serviceSpec }),
  };
}

/** The Service for Serve traffic of a RayService, based on the user's `serveService`; undefined if the head declares no serve port. */
export function buildServiceServeService(
  service: RayService,
  { serveService, rayClusterConfig }: RayServiceSpec,
  cluster: RayCluster,
): Service | undefined {
  const { name = '', namespace = '' } = service.metadata ?? {};
  const own = portsOfUser(serveService?.spec?.ports);
  const found = portsOf(cluster);
  if (found.length === 0 && serveService === undefined) return undefined;
  const ports = found.length === 0 ? own : found.map((port) => own.find((each) => each.name === port.name) ?? port);
  const type = serveService?.spec?.type || rayClusterConfig.headGroupSpec.serviceType;
  const { annotations } = serveService?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serviceNames.serve(name, serveService?.metadata?.name),
      namespace,
      labels: { ...serveService?.metadata?.labels, ...serveLabels(name) },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference('RayService', service)],
    },
    spec: { ...serveService?.spec, selector: selectorOf(cluster), ports, ...(type ? { type } : {}) },
  };
}

/** The Service for Serve traffic of one cluster, a weighted backend of the route; undefined if the head declares no serve port. */
export function buildClusterServeService(cluster: RayCluster): Service | undefined {
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  const ports = portsOf(cluster);
  if (ports.length === 0) return undefined;
  const type = cluster.spec?.headGroupSpec.serviceType;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serviceNames.serve(name),
      namespace,
      labels: serveLabels(name),
      ownerReferences: [controllerReference('RayCluster', cluster)],
    },
    spec: { selector: selectorOf(cluster), ports, ...(type ? { type } : {}) },
  };
}

/** The serve port of a cluster's head. */
export function servePortOf({ spec }: RayCluster): number {
  const ports = spec === undefined ? [] : (rayContainerOf(draftOf(spec.headGroupSpec.template).spec).ports ?? []);
  return ports.find(({ name }) => name === PortName.Serve)?.containerPort ?? DefaultPort.Serve;
}

function portsOf({ spec }: RayCluster): readonly ServicePort[] {
  return spec === undefined ? [] : servePorts(rayContainerOf(draftOf(spec.headGroupSpec.template).spec));
}

function serveLabels(owner: string): StringMap {
  return { ...originLabels(owner), [Label.Serve]: serviceNames.serveLabel(owner) };
}

function selectorOf({ metadata }: RayCluster): StringMap {
  return { [Label.Cluster]: metadata?.name ?? '', [Label.Serve]: LabelValue.Serving };
}
