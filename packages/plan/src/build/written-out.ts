import {
  type Container,
  formatQuantity,
  type HeadGroupSpec,
  type PodTemplateSpec,
  parseQuantity,
  type Quantity,
  type RayClusterSpec,
  type ResourceRequirements,
  type Service,
  type Volume,
} from '@manta/api';

/**
 * A cluster's spec as Go clients write it: canonical quantities (`1` for `1000m` and for the number 1), `divisor: 0` and `targetPort: 0` when
 * unset. The meaning is the same. RayClusters of RayJobs are written this way, like KubeRay's.
 */
export function writtenOut(spec: RayClusterSpec): RayClusterSpec {
  const { headGroupSpec, workerGroupSpecs, autoscalerOptions } = spec;
  return {
    ...spec,
    headGroupSpec: writtenHead(headGroupSpec),
    ...(workerGroupSpecs === undefined
      ? {}
      : {
          workerGroupSpecs: workerGroupSpecs.map((group) => ({ ...group, template: writtenTemplate(group.template) })),
        }),
    ...(autoscalerOptions?.resources === undefined
      ? {}
      : { autoscalerOptions: { ...autoscalerOptions, resources: writtenResources(autoscalerOptions.resources) } }),
  };
}

function writtenHead(head: HeadGroupSpec): HeadGroupSpec {
  const { template, headService } = head;
  return {
    ...head,
    template: writtenTemplate(template),
    ...(headService?.spec?.ports === undefined ? {} : { headService: writtenService(headService) }),
  };
}

/** A pod template as Go clients write it. */
export function writtenTemplate(template: PodTemplateSpec): PodTemplateSpec {
  if (template.spec === undefined) return template;
  const { spec } = template;
  const { containers, initContainers, volumes } = spec;
  return {
    ...template,
    spec: {
      ...spec,
      containers: containers.map(writtenContainer),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(writtenContainer) }),
      ...(volumes === undefined ? {} : { volumes: volumes.map(writtenVolume) }),
    },
  };
}

function writtenContainer(container: Container): Container {
  const { env, resources } = container;
  return {
    ...container,
    ...(env === undefined ? {} : { env: env.map(writtenVariable) }),
    ...(resources === undefined ? {} : { resources: writtenResources(resources) }),
  };
}

function writtenVariable(variable: NonNullable<Container['env']>[number]): NonNullable<Container['env']>[number] {
  const field = variable.valueFrom?.resourceFieldRef;
  if (field === undefined) return variable;
  const resourceFieldRef = { ...field, divisor: writtenAmount(field.divisor ?? '0') };
  return { ...variable, valueFrom: { ...variable.valueFrom, resourceFieldRef } };
}

function writtenVolume(volume: Volume): Volume {
  const { emptyDir } = volume;
  if (emptyDir?.sizeLimit === undefined) return volume;
  return { ...volume, emptyDir: { ...emptyDir, sizeLimit: writtenAmount(emptyDir.sizeLimit) } };
}

function writtenResources(resources: ResourceRequirements): ResourceRequirements {
  const { limits, requests } = resources;
  return {
    ...resources,
    ...(limits === undefined ? {} : { limits: writtenAmounts(limits) }),
    ...(requests === undefined ? {} : { requests: writtenAmounts(requests) }),
  };
}

type Amounts = Readonly<Record<string, Quantity>>;

function writtenAmounts(amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, writtenAmount(amount)]));
}

/** An invalid quantity stays as it is: validation reports it. */
function writtenAmount(amount: Quantity): Quantity {
  const read = parseQuantity(amount);
  return read.ok ? formatQuantity(read.value) : amount;
}

function writtenService(service: Service): Service {
  const ports = service.spec?.ports?.map((port) => ({ ...port, targetPort: port.targetPort ?? 0 })) ?? [];
  return { ...service, spec: { ...service.spec, ports } };
}
