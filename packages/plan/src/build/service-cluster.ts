import {
  Annotation,
  isAutoscalingEnabled,
  Label,
  OriginCrd,
  type RayCluster,
  type RayClusterSpec,
  type RayService,
  type StringMap,
  specHash,
  type WorkerGroupSpec,
} from '@manta/api';
import { controllerReference } from './owner.ts';

/** A new RayCluster of a service. */
export function buildServiceCluster(
  service: RayService,
  spec: RayClusterSpec,
  name: string,
  operatorVersion: string,
): RayCluster {
  const { metadata = {} } = service;
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: { ...metadata.labels, ...originLabels(metadata.name ?? '') },
      annotations: { ...withoutNotes(metadata.annotations), ...stampOf(spec, operatorVersion) },
      ownerReferences: [controllerReference('RayService', service)],
    },
    spec,
  };
}

/** The labels on all child objects of a service. */
export function originLabels(service: string): StringMap {
  return { [Label.OriginatedFromCrName]: service, [Label.OriginatedFromCrd]: OriginCrd.RayService };
}

/** Adopts a cluster of another operator or version by updating its annotations. Its spec stays: users or the autoscaler may have changed it. */
export function adoptServiceCluster(live: RayCluster, wanted: RayCluster): RayCluster {
  const { labels, annotations } = wanted.metadata ?? {};
  return {
    ...live,
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata?.labels, ...labels },
      annotations: { ...live.metadata?.annotations, ...annotations },
    },
  };
}

/** An existing cluster with the service's spec. Keeps labels and annotations of others, and the autoscaler's decisions. */
export function updateServiceCluster(live: RayCluster, wanted: RayCluster): RayCluster {
  const isScaled = isAutoscalingEnabled(wanted.spec);
  const groups = wanted.spec?.workerGroupSpecs?.map((group) => (isScaled ? withLiveCounts(group, live.spec) : group));
  const { suspend: _own, ...spec } = wanted.spec ?? { headGroupSpec: { template: {} } };
  return {
    ...adoptServiceCluster(live, wanted),
    spec: {
      ...securityOf(live.spec),
      ...spec,
      ...(groups === undefined ? {} : { workerGroupSpecs: groups }),
      // The queueing controller (e.g. Kueue) decides about `suspend`, not the service.
      ...(live.spec?.suspend === undefined ? {} : { suspend: live.spec.suspend }),
    },
  };
}

/** Fields that the secure profile wrote into the cluster: its pods rely on them. */
function securityOf(live: RayClusterSpec | undefined): Partial<RayClusterSpec> {
  const { authOptions, networkPolicy, tlsOptions } = live ?? {};
  return {
    ...(authOptions === undefined ? {} : { authOptions }),
    ...(networkPolicy === undefined ? {} : { networkPolicy }),
    ...(tlsOptions === undefined ? {} : { tlsOptions }),
  };
}

function withLiveCounts(group: WorkerGroupSpec, live: RayClusterSpec | undefined): WorkerGroupSpec {
  const running = live?.workerGroupSpecs?.find(({ groupName }) => groupName === group.groupName);
  if (running === undefined) return group;
  const { replicas: _wanted, ...rest } = group;
  return { ...rest, ...(running.replicas === undefined ? {} : { replicas: running.replicas }) };
}

function stampOf(spec: RayClusterSpec, operatorVersion: string): StringMap {
  return {
    [Annotation.SpecHash]: specHash(spec, { ignoreSuspend: true }),
    [Annotation.WorkerGroupCount]: String((spec.workerGroupSpecs ?? []).length),
    [Annotation.OperatorVersion]: operatorVersion,
  };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations of kubectl and of the operator that describe the service itself are not copied. */
function withoutNotes(annotations: StringMap = {}): StringMap {
  const { [LAST_APPLIED]: _applied, [Annotation.FailedUpgrade]: _failed, ...rest } = annotations;
  return rest;
}
