import {
  Annotation,
  GroupName,
  isConditionTrue,
  podNames,
  RayClusterConditionType,
  RayClusterEventReason,
  specHash,
} from '@manta/api';
import { buildHeadPod, stampHeadPod } from '../build/head-pod.ts';
import { type Action, normal, warning } from '../plan.ts';
import { headsOf } from './heads.ts';
import type { PodRecord } from './observed.ts';
import { derivedPodName } from './pod-names.ts';
import { fullName, type Subject } from './subject.ts';
import { describeState, whyDelete } from './unhealthy.ts';

/** What to do about the head, and whether workers may be looked at in the same pass. */
export interface HeadDecision {
  readonly actions: readonly Action[];
  readonly mayGoOn: boolean;
}

/** The place of the one head pod, by which its predecessor is remembered. */
export const HEAD_PLACE = 'head';

export function planHead(subject: Subject): HeadDecision {
  const heads = headsOf(subject.pods);
  const [first, second] = heads;
  if (first === undefined) return createHead(subject);
  if (second?.isTerminating === false) return { actions: tellOfExtraHeads(subject, heads), mayGoOn: true };
  if (first.isTerminating || whyDelete(first) === undefined) return { actions: [], mayGoOn: true };
  return { actions: [deleteHead(subject, first, describeState(first))], mayGoOn: false };
}

function createHead(subject: Subject): HeadDecision {
  const { cluster, spec, context } = subject;
  const wasProvisioned = isConditionTrue(cluster.status?.conditions, RayClusterConditionType.Provisioned);
  const mayNotComeBack = cluster.metadata?.annotations?.[Annotation.DisableProvisionedHeadRestart] === 'true';
  if (wasProvisioned && mayNotComeBack) return { actions: [], mayGoOn: false };
  const pod = stampHeadPod(buildHeadPod(cluster, spec, context), specHash(spec), context.operatorVersion);
  const podName = pod.metadata?.name ?? headName(subject);
  const action: Action = {
    type: 'create',
    kind: 'Pod',
    objects: [{ ...pod, metadata: { ...pod.metadata, name: podName } }],
    whenExists: 'fine-if-ours',
    done: normal(RayClusterEventReason.CreatedHeadPod, 'Create', `Created head Pod ${fullName(subject, podName)}`),
    failed: warning(
      RayClusterEventReason.FailedToCreateHeadPod,
      'Create',
      `Failed to create head Pod ${fullName(subject, podName)}`,
    ),
    failure: 'FailedCreateHeadPod',
  };
  return { actions: [action], mayGoOn: true };
}

function headName({ name, uid, lastHolders }: Subject): string {
  const group = GroupName.Head;
  const place = { clusterUid: uid, group, place: HEAD_PLACE, predecessor: lastHolders.get(`${group}/${HEAD_PLACE}`) };
  return derivedPodName(podNames.headPrefix(name), place, new Set());
}

/**
 * Two heads are two clusters under one name. Which of them the workers use only Ray knows, so neither is touched; the user is told, and
 * everything else goes on.
 */
function tellOfExtraHeads(subject: Subject, heads: readonly PodRecord[]): readonly Action[] {
  const staying = heads.filter(({ isTerminating }) => !isTerminating);
  const names = staying.map(({ name }) => fullName(subject, name)).toSorted();
  const note = `There are ${staying.length} head Pods: ${names.join(', ')}. Delete those that the workers do not use`;
  return [{ type: 'event', event: warning(RayClusterEventReason.MultipleHeadPods, 'Reconcile', note) }];
}

function deleteHead(subject: Subject, pod: PodRecord, why: string): Action {
  const told = `head Pod ${fullName(subject, pod.name)}; ${why}`;
  return {
    type: 'delete',
    kind: 'Pod',
    name: pod.name,
    uid: pod.uid,
    done: normal(RayClusterEventReason.DeletedHeadPod, 'Delete', `Deleted ${told}`),
    failed: warning(RayClusterEventReason.FailedToDeleteHeadPod, 'Delete', `Failed deleting ${told}`),
    failure: 'FailedDeleteHeadPod',
  };
}
