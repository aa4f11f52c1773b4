import {
  isAutoscalerV2,
  isAutoscalingEnabled,
  isTlsEnabled,
  NodeType,
  originOf,
  type Pod,
  podNames,
  type RayCluster,
  type RayClusterSpec,
  type WorkerGroupSpec,
} from '@manta/api';
import { withPodAuth } from './auth.ts';
import type { BuildContext } from './context.ts';
import { withDrain } from './drain.ts';
import { withWorkerFaultTolerance } from './gcs-ft.ts';
import { headFqdn } from './head-pod.ts';
import { draftOf, type PodDraft, withAnnotations, withSpec } from './pod-draft.ts';
import { placeLabels, podLabels, type ReplicaPlace } from './pod-labels.ts';
import { finishRayPod, overwriteAnnotation, withHistoryCollector, withMetricsPort } from './ray-pod.ts';
import { groupStartParams, headPortOf, workerStartParams } from './start-params.ts';
import { withPodTls } from './tls.ts';
import { withWaitForGcs } from './wait-gcs-ready.ts';

/** A worker pod of a group, before it gets its place. */
export function buildWorkerPod(
  cluster: RayCluster,
  spec: RayClusterSpec,
  group: WorkerGroupSpec,
  context: BuildContext,
): Pod {
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  const fqdn = headFqdn(cluster, spec, context);
  const headPort = headPortOf(spec.headGroupSpec.rayStartParams);
  const headAddress = `${fqdn}:${headPort}`;
  const params = workerStartParams(groupStartParams(group), headAddress);
  const common = { cluster, spec, nodeType: NodeType.Worker, fqdn } as const;

  let draft = withWorkerMetadata(draftOf(group.template), cluster, group);
  draft = withWaitForGcs(draft, headAddress, context);
  draft = withWorkerFaultTolerance(draft, cluster, spec);
  draft = withMetricsPort(draft);
  if (isAutoscalingEnabled(spec) && isAutoscalerV2(spec)) draft = withSpec(draft, { restartPolicy: 'Never' });
  draft = withPodAuth(draft, spec, name);
  if (isTlsEnabled(spec, context.gates)) draft = withPodTls(draft, name, NodeType.Worker);
  draft = withDrain(draft, cluster, context);
  draft = withHistoryCollector(draft, common, context);
  const pod = finishRayPod(
    draft,
    {
      ...common,
      origin: originOf(cluster.metadata?.labels),
      headPort,
      params,
      sidecars: context.podDefaults.workerSidecarContainers ?? [],
    },
    context,
  );
  return { ...pod, metadata: { ...pod.metadata, namespace } };
}

/** The worker pod with its place, which overrides labels of the template. */
export function atPlace(pod: Pod, place: ReplicaPlace): Pod {
  const { metadata = {} } = pod;
  return { ...pod, metadata: { ...metadata, labels: { ...metadata.labels, ...placeLabels(place) } } };
}

function withWorkerMetadata(draft: PodDraft, cluster: RayCluster, group: WorkerGroupSpec): PodDraft {
  const name = cluster.metadata?.name ?? '';
  // A name in the template would allow only one pod per group.
  const { name: _, ...metadata } = draft.metadata;
  const user = { template: metadata.labels, group: group.labels };
  const labels = podLabels(name, NodeType.Worker, group.groupName, user);
  const named = { ...metadata, generateName: podNames.workerPrefix(name, group.groupName), labels };
  return withAnnotations({ ...draft, metadata: named }, overwriteAnnotation(cluster));
}
