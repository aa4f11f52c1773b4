import {
  Annotation,
  type Container,
  ContainerName,
  DefaultPort,
  isAutoscalingEnabled,
  Label,
  LabelValue,
  NodeType,
  OriginCrd,
  type Pod,
  PortName,
  type RayCluster,
  type RayClusterSpec,
  type StringMap,
} from '@manta/api';
import { withRayCommand } from './command.ts';
import { addMissingEnv, appendEnv } from './container-env.ts';
import type { BuildContext } from './context.ts';
import { EVENT_EXPORT_ENV, historyCollector } from './history-collector.ts';
import { controllerReference } from './owner.ts';
import { appendContainers, mapRayContainer, type PodDraft, rayContainerOf, withSpec } from './pod-draft.ts';
import { namedPort, withProbes } from './probes.ts';
import { headNameEnv, withRayEnv } from './ray-env.ts';
import { rayStartCommand } from './ray-start.ts';
import { withSharedLogs, withSharedMemory } from './shared-volumes.ts';
import type { StartParams } from './start-params.ts';

/** Inputs that head and worker pods have in common. */
export interface RayPodInput {
  readonly cluster: RayCluster;
  readonly spec: RayClusterSpec;
  readonly nodeType: NodeType;
  readonly origin: OriginCrd;
  readonly fqdn: string;
  readonly headPort: string;
  readonly params: StartParams;
  /** Sidecars from the operator's Configuration. */
  readonly sidecars: readonly Container[];
}

/** Builds the pod from a prepared template. */
export function finishRayPod(draft: PodDraft, input: RayPodInput, context: BuildContext): Pod {
  const { cluster, params } = input;
  let result = withInstallationDefaults(appendContainers(draft, input.sidecars), context);
  result = withServeLabel(result, input);
  result = withSharedMemory(result, params);
  if (input.nodeType === NodeType.Head && isAutoscalingEnabled(input.spec)) {
    result = withSharedLogs(result, ContainerName.Autoscaler);
  }
  // A collector in the user's template also needs the logs.
  const hasCollector = context.gates.RayClusterHistoryServer && hasContainer(result, ContainerName.Collector);
  if (hasCollector) result = withSharedLogs(result, ContainerName.Collector);
  result = withRay(result, input, context);
  if (hasCollector) result = mapRayContainer(result, (container) => addMissingEnv(container, EVENT_EXPORT_ENV));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...result.metadata, ownerReferences: [controllerReference('RayCluster', cluster)] },
    spec: result.spec,
  };
}

/** Prometheus selects Ray's metrics by this port name. */
export function withMetricsPort(draft: PodDraft): PodDraft {
  return mapRayContainer(draft, (container) =>
    namedPort(container, PortName.Metrics) === undefined
      ? {
          ...container,
          ports: [...(container.ports ?? []), { name: PortName.Metrics, containerPort: DefaultPort.Metrics }],
        }
      : container,
  );
}

/** Copies the cluster's overwrite annotation to the pod. */
export function overwriteAnnotation(cluster: RayCluster): StringMap {
  const isWanted = cluster.metadata?.annotations?.[Annotation.OverwriteContainerCommand]?.toLowerCase() === 'true';
  return isWanted ? { [Annotation.OverwriteContainerCommand]: 'true' } : {};
}

/** The history collector's sidecar, if enabled. */
export function withHistoryCollector(
  draft: PodDraft,
  input: Pick<RayPodInput, 'cluster' | 'spec' | 'nodeType' | 'fqdn'>,
  context: BuildContext,
): PodDraft {
  const collector = historyCollector(input.cluster, input.spec, input.nodeType, input.fqdn, context);
  return collector === undefined ? draft : appendContainers(draft, [collector]);
}

/** Command, variables and probes of the Ray container; init containers get the head's name. */
function withRay(draft: PodDraft, input: RayPodInput, context: BuildContext): PodDraft {
  const rayStart = rayStartCommand(input.nodeType, input.params, rayContainerOf(draft.spec));
  const withMain = mapRayContainer(draft, (container) => {
    const commanded = withRayCommand(container, rayStart, draft.metadata.annotations, context);
    const configured = withRayEnv(commanded, { ...input, rayStart }, context);
    return context.env.probesInjection
      ? withProbes(configured, { ...input, rayVersion: input.spec.rayVersion })
      : configured;
  });
  const { initContainers } = withMain.spec;
  if (initContainers === undefined) return withMain;
  return withSpec(withMain, {
    initContainers: initContainers.map((container) => appendEnv(container, headNameEnv(input.fqdn))),
  });
}

function withInstallationDefaults(draft: PodDraft, { podDefaults }: BuildContext): PodDraft {
  const { defaultPodAnnotations = {}, defaultPodLabels = {} } = podDefaults;
  return {
    ...draft,
    metadata: {
      ...draft.metadata,
      annotations: { ...defaultPodAnnotations, ...draft.metadata.annotations },
      labels: { ...defaultPodLabels, ...draft.metadata.labels },
    },
  };
}

/** Workers of a RayService take traffic at once; the head only after its Serve proxy was healthy. */
function withServeLabel(draft: PodDraft, { origin, nodeType }: RayPodInput): PodDraft {
  if (origin !== OriginCrd.RayService) return draft;
  const value = nodeType === NodeType.Head ? LabelValue.NotServing : LabelValue.Serving;
  return { ...draft, metadata: { ...draft.metadata, labels: { ...draft.metadata.labels, [Label.Serve]: value } } };
}

function hasContainer(draft: PodDraft, name: string): boolean {
  return draft.spec.containers.some((container) => container.name === name);
}
