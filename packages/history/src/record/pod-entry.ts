import { type ContainerStatus, Label, OriginCrd, type Pod } from '@manta/api';
import type { ContainerEnd, PodEntry } from '../store/entries.ts';

/** What is recorded of a pod. */
export function podEntry(pod: Pod): PodEntry {
  const { uid = '', namespace = '', name = '', labels = {}, ownerReferences = [], ...metadata } = pod.metadata ?? {};
  const isSubmitter = labels[Label.NodeType] === undefined && labels[Label.OriginatedFromCrd] === OriginCrd.RayJob;
  return {
    kind: 'pod',
    uid,
    namespace,
    name,
    owner: ownerReferences.find(({ controller }) => controller === true)?.uid ?? '',
    job: isSubmitter ? (labels[Label.OriginatedFromCrName] ?? '') : '',
    nodeType: isSubmitter ? 'submitter' : (labels[Label.NodeType] ?? ''),
    group: labels[Label.Group] ?? '',
    node: pod.spec?.nodeName ?? '',
    createdAt: timeOf(metadata.creationTimestamp) ?? 0,
    deletedAt: undefined,
    ends: statusesOf(pod).flatMap(endsOf),
  };
}

/** A container whose last lines should be kept now. */
export interface LogTarget {
  readonly container: string;
  readonly restart: number;
  /** Read the log of the container before the current one. */
  readonly isPrevious: boolean;
}

/**
 * Containers whose logs may soon be out of reach: those that have ended, and all that run in a pod that is being deleted. The API server
 * serves no logs of a deleted pod.
 */
export function logTargets(pod: Pod): readonly LogTarget[] {
  const isDoomed = pod.metadata?.deletionTimestamp !== undefined;
  return statusesOf(pod).flatMap(({ name: container, restartCount, state, lastState }) => [
    ...(state?.terminated !== undefined || (isDoomed && state?.running !== undefined)
      ? [{ container, restart: restartCount, isPrevious: false }]
      : []),
    ...(lastState?.terminated === undefined ? [] : [{ container, restart: restartCount - 1, isPrevious: true }]),
  ]);
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function endsOf({ name: container, restartCount, state, lastState }: ContainerStatus): readonly ContainerEnd[] {
  const end = (ended: NonNullable<ContainerStatus['state']>['terminated'], restart: number): readonly ContainerEnd[] =>
    ended === undefined
      ? []
      : [
          {
            container,
            restart,
            at: timeOf(ended.finishedAt) ?? 0,
            exitCode: ended.exitCode,
            reason: ended.reason ?? '',
            message: ended.message ?? '',
          },
        ];
  return [...end(lastState?.terminated, restartCount - 1), ...end(state?.terminated, restartCount)];
}

/** Milliseconds since the epoch of a Kubernetes timestamp. */
export function timeOf(text: string | null | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}
