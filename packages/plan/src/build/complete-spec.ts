import type { Container, PodTemplateSpec, RayClusterSpec, RayServiceSpec, Service } from '@manta/api';

/**
 * A service's spec with the empty objects that Go clients write: container resources, template metadata, Service status, `targetPort: 0`.
 * They have no meaning. Without them, the first Go client that updates the object (Kueue, KubeRay) would add them, and the generation would
 * change as if a user had edited the spec.
 */
export function completeServiceSpec(spec: RayServiceSpec): RayServiceSpec {
  const { serveService, rayClusterConfig } = spec;
  return {
    ...spec,
    rayClusterConfig: completeClusterSpec(rayClusterConfig),
    ...(serveService === undefined ? {} : { serveService: completeService(serveService) }),
  };
}

function completeClusterSpec(spec: RayClusterSpec): RayClusterSpec {
  const { headGroupSpec, workerGroupSpecs } = spec;
  const { headService, template } = headGroupSpec;
  return {
    ...spec,
    headGroupSpec: {
      ...headGroupSpec,
      template: completeTemplate(template),
      ...(headService === undefined ? {} : { headService: completeService(headService) }),
    },
    ...(workerGroupSpecs === undefined
      ? {}
      : {
          workerGroupSpecs: workerGroupSpecs.map((group) => ({
            ...group,
            scaleStrategy: group.scaleStrategy ?? {},
            template: completeTemplate(group.template),
          })),
        }),
  };
}

function completeTemplate(template: PodTemplateSpec): PodTemplateSpec {
  const { metadata = {}, spec } = template;
  if (spec === undefined) return { ...template, metadata };
  const { initContainers } = spec;
  return {
    ...template,
    metadata,
    spec: {
      ...spec,
      containers: spec.containers.map(completeContainer),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(completeContainer) }),
    },
  };
}

function completeContainer(container: Container): Container {
  return { ...container, resources: container.resources ?? {} };
}

function completeService(service: Service): Service {
  const { metadata = {}, spec = {} } = service;
  const { ports } = spec;
  return {
    ...service,
    metadata,
    spec: {
      ...spec,
      ...(ports === undefined ? {} : { ports: ports.map((port) => ({ ...port, targetPort: port.targetPort ?? 0 })) }),
    },
    status: { ...service.status, loadBalancer: service.status?.loadBalancer ?? {} },
  };
}
