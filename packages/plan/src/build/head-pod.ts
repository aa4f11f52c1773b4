import {
  Annotation,
  clusterObjectNames,
  GroupName,
  isAutoscalerV2,
  isAutoscalingEnabled,
  isTlsEnabled,
  NodeType,
  originOf,
  type Pod,
  podNames,
  type RayCluster,
  type RayClusterSpec,
  serviceNames,
} from '@manta/api';
import { withPodAuth } from './auth.ts';
import { autoscalerContainer, autoscalerVersionEnv } from './autoscaler.ts';
import { appendEnv } from './container-env.ts';
import type { BuildContext } from './context.ts';
import { faultToleranceParams, withHeadFaultTolerance } from './gcs-ft.ts';
import {
  appendContainers,
  draftOf,
  mapRayContainer,
  type PodDraft,
  rayContainerOf,
  withAnnotations,
  withSpec,
} from './pod-draft.ts';
import { podLabels } from './pod-labels.ts';
import { finishRayPod, overwriteAnnotation, withHistoryCollector, withMetricsPort } from './ray-pod.ts';
import { groupStartParams, headPortOf, headStartParams } from './start-params.ts';
import { withPodTls } from './tls.ts';

/** The head pod of a cluster. The spec must be valid and defaulted. */
export function buildHeadPod(cluster: RayCluster, spec: RayClusterSpec, context: BuildContext): Pod {
  const group = spec.headGroupSpec;
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  const fqdn = headFqdn(cluster, spec, context);
  const params = {
    ...headStartParams(groupStartParams(group), isAutoscalingEnabled(spec)),
    ...faultToleranceParams(spec),
  };
  const common = { cluster, spec, nodeType: NodeType.Head, fqdn } as const;

  let draft = withHeadMetadata(draftOf(group.template), cluster, spec, context);
  if (isAutoscalingEnabled(spec)) draft = withAutoscaler(draft, name, spec, context);
  draft = withHeadFaultTolerance(draft, cluster, spec, params);
  draft = withMetricsPort(draft);
  draft = withPodAuth(draft, spec, name);
  if (isTlsEnabled(spec, context.gates)) draft = withPodTls(draft, name, NodeType.Head);
  draft = withHistoryCollector(draft, common, context);
  const pod = finishRayPod(
    draft,
    {
      ...common,
      origin: originOf(cluster.metadata?.labels),
      headPort: headPortOf(group.rayStartParams),
      params,
      sidecars: context.podDefaults.headSidecarContainers ?? [],
    },
    context,
  );
  return { ...pod, metadata: { ...pod.metadata, namespace } };
}

/** Annotates a head pod with the hash of its spec and the operator's version. */
export function stampHeadPod(pod: Pod, hash: string, operatorVersion: string): Pod {
  const annotations = { [Annotation.RecreateHash]: hash, [Annotation.OperatorVersion]: operatorVersion };
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...annotations } } };
}

/** The DNS name of the head for workers and clients. */
export function headFqdn(cluster: RayCluster, spec: RayClusterSpec, { env }: BuildContext): string {
  const service = serviceNames.head(cluster.metadata?.name ?? '', spec.headGroupSpec.headService?.metadata?.name);
  return serviceNames.headFqdn(service, cluster.metadata?.namespace ?? '', env.clusterDomain);
}

function withHeadMetadata(draft: PodDraft, cluster: RayCluster, spec: RayClusterSpec, { env }: BuildContext): PodDraft {
  const name = cluster.metadata?.name ?? '';
  const labels = podLabels(name, NodeType.Head, GroupName.Head, {
    template: draft.metadata.labels,
    group: spec.headGroupSpec.labels,
  });
  const naming = env.deterministicHeadPodName
    ? { name: podNames.head(name) }
    : { generateName: podNames.headPrefix(name) };
  const metadata = { ...draft.metadata, ...naming, labels };
  return withAnnotations({ ...draft, metadata }, overwriteAnnotation(cluster));
}

function withAutoscaler(draft: PodDraft, cluster: string, spec: RayClusterSpec, context: BuildContext): PodDraft {
  const container = autoscalerContainer(spec, cluster, rayContainerOf(draft.spec).image, context);
  const version = autoscalerVersionEnv(spec.autoscalerOptions?.version);
  const withVersion = mapRayContainer(draft, (ray) => appendEnv(ray, version));
  return withSpec(appendContainers(withVersion, [container]), {
    serviceAccountName: clusterObjectNames.serviceAccount(cluster, draft.spec.serviceAccountName),
    // Autoscaler v2 replaces nodes itself: a container that restarts in the same pod would confuse it.
    ...(isAutoscalerV2(spec) ? { restartPolicy: 'Never' } : {}),
  });
}
