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

/** The RayCluster that a service wants, under a name of its own. */
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

/** The labels by which everything that was made for a service is found. */
export function originLabels(service: string): StringMap {
  return { [Label.OriginatedFromCrName]: service, [Label.OriginatedFromCrd]: OriginCrd.RayService };
}

/** A cluster of another operator or version under our stamp. Its spec stays: somebody may have scaled it, or told its pods what to tolerate. */
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

/** A cluster that takes what its service wants without losing what others have written: labels, annotations, and what its autoscaler decides. */
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
      // Whoever queues the cluster decides about this, not the service.
      ...(live.spec?.suspend === undefined ? {} : { suspend: live.spec.suspend }),
    },
  };
}

/** What the operator's secure profile has written into the cluster: its pods rely on it. */
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

/** What kubectl and we ourselves note about the service is wrong on any other object. */
function withoutNotes(annotations: StringMap = {}): StringMap {
  const { [LAST_APPLIED]: _applied, [Annotation.FailedUpgrade]: _failed, ...rest } = annotations;
  return rest;
}
