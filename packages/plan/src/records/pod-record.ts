import {
  Annotation,
  ContainerName,
  type ContainerStateTerminated,
  type ContainerStatus,
  headPodReady,
  Label,
  NodeType,
  type Pod,
  podTrouble,
  RAY_CONTAINER_INDEX,
} from '@manta/api';
import { spareObjectName } from '../raycluster/object-name.ts';
import type { PodRecord, SubmitterRecord } from '../raycluster/observed.ts';
import type { Sharing } from './sharing.ts';

/** Projects a pod to the fields that decisions need. */
export function podRecord(pod: Pod, intern: Sharing): PodRecord {
  const { metadata = {}, spec, status } = pod;
  const { labels = {}, annotations = {} } = metadata;
  const nodeType = intern.string(labels[Label.NodeType] ?? '');
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  return {
    name: metadata.name ?? '',
    namespace: intern.string(metadata.namespace ?? ''),
    uid: metadata.uid ?? '',
    nodeType,
    group: intern.string(labels[Label.Group] ?? ''),
    cluster: intern.string(labels[Label.Cluster] ?? ''),
    replicaIndex: numberOf(labels[Label.ReplicaIndex]),
    replicaName: intern.string(labels[Label.ReplicaName]),
    hostIndex: numberOf(labels[Label.ReplicaHostIndex]),
    owner: intern.string(controller?.uid),
    ownerCluster: controller?.kind === 'RayCluster' ? intern.string(controller.name) : undefined,
    createdAt: Date.parse(metadata.creationTimestamp ?? ''),
    isTerminating: metadata.deletionTimestamp !== undefined,
    phase: intern.string(status?.phase ?? ''),
    restartPolicy: intern.string(spec?.restartPolicy ?? ''),
    podIP: status?.podIP ?? '',
    node: intern.string(spec?.nodeName ?? ''),
    ready: intern.string(status?.conditions?.find(({ type }) => type === 'Ready')?.status),
    rayTerminated: rayTerminated(pod),
    isDisrupted: isDisrupted(pod),
    trouble: podTrouble(pod),
    tlsAuthority: intern.string(annotations[Annotation.TlsAuthority]),
    tlsRenewedAt: intern.string(annotations[Annotation.TlsRenewedAt]),
    serveLabel: intern.string(labels[Label.Serve]),
    knowsSpare: knowsSpare(pod),
    head: nodeType === NodeType.Head ? headRecord(pod, intern) : undefined,
  };
}

/**
 * Kubernetes sets `DisruptionTarget` on every pod that it removes from its node. A pod that the kubelet evicts because the node runs out of
 * memory or disk (reason `Evicted`) does not count as disrupted: its replacement may be evicted too.
 */
function isDisrupted({ status }: Pod): true | undefined {
  const target = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return target?.status === 'True' && status?.reason !== 'Evicted' ? true : undefined;
}

/** Only for long cluster names, which have a spare name. */
function knowsSpare({ metadata, spec }: Pod): true | undefined {
  const spare = spareObjectName(metadata?.labels?.[Label.Cluster] ?? '');
  if (spare === undefined || spec === undefined) return undefined;
  const { serviceAccountName, containers, initContainers = [] } = spec;
  const hasIt = [...containers, ...initContainers].some(({ env = [] }) =>
    env.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === spare),
  );
  return serviceAccountName === spare || hasIt ? true : undefined;
}

function headRecord(pod: Pod, intern: Sharing): PodRecord['head'] {
  const { annotations = {} } = pod.metadata ?? {};
  return {
    readiness: headPodReady(pod),
    recreateHash: intern.string(annotations[Annotation.RecreateHash] ?? ''),
    operatorVersion: intern.string(annotations[Annotation.OperatorVersion] ?? ''),
    restarts: rayContainer(pod)?.restartCount ?? 0,
    submitter: submitterRecord(pod),
  };
}

function submitterRecord({ status }: Pod): SubmitterRecord | undefined {
  const found = status?.containerStatuses?.find(({ name }) => name === ContainerName.Submitter);
  if (found === undefined) return undefined;
  const { state, lastState, restartCount } = found;
  const { exitCode, reason = '', finishedAt } = state?.terminated ?? {};
  return {
    exitCode,
    reason,
    finishedAt: typeof finishedAt === 'string' ? Date.parse(finishedAt) : undefined,
    restartCount,
    hasEndedBefore: lastState?.terminated !== undefined,
  };
}

function rayContainer({ spec, status }: Pod): ContainerStatus | undefined {
  const name = spec?.containers[RAY_CONTAINER_INDEX]?.name;
  return status?.containerStatuses?.find((container) => container.name === name);
}

function rayTerminated(pod: Pod): string | undefined {
  const terminated = rayContainer(pod)?.state?.terminated;
  return terminated === undefined ? undefined : describeTermination(terminated);
}

/** The text of KubeRay's events, which users and their alerts match. */
function describeTermination(state: ContainerStateTerminated): string {
  const { exitCode, signal = 0, reason = '', message = '', startedAt, finishedAt, containerID = '' } = state;
  return `&ContainerStateTerminated{ExitCode:${exitCode},Signal:${signal},Reason:${reason},Message:${message},StartedAt:${goTime(startedAt)},FinishedAt:${goTime(finishedAt)},ContainerID:${containerID},}`;
}

function goTime(time: string | null | undefined): string {
  const text = time === undefined || time === null ? '0001-01-01T00:00:00Z' : time;
  return `${text.slice(0, 10)} ${text.slice(11, 19)} +0000 UTC`;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
