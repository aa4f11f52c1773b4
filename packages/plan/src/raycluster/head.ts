import { GroupName, RayClusterEventReason, specHash } from '@manta/api';
import { buildHeadPod, stampHeadPod } from '../build/head-pod.ts';
import { deleteOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import { allowedCreations } from './create-backoff.ts';
import { chooseHead, warnAboutDuplicateHeads } from './duplicate-heads.ts';
import { describeState, reasonToDelete } from './ended-pods.ts';
import { forScheduler } from './gang.ts';
import { headName, isHeadWanted } from './head-name.ts';
import { specForPods } from './object-name.ts';
import type { PodRecord } from './observed.ts';
import { headsOf } from './pods.ts';

/** What to do about the head, and whether workers are planned in the same reconcile. */
export interface HeadDecision {
  readonly actions: readonly Action[];
  readonly mayContinue: boolean;
}

export function planHead(state: ClusterState): HeadDecision {
  const heads = headsOf(state.pods);
  const staying = heads.filter(({ isTerminating }) => !isTerminating);
  if (heads.length === 0) return createHead(state);
  if (staying.length > 1) return planExtraHeads(state, staying);
  const ended = staying.filter((pod) => reasonToDelete(pod, state.context.env) !== undefined);
  return {
    actions: ended.flatMap((pod) => deleteHead(state, pod, describeState(pod))),
    mayContinue: ended.length === 0,
  };
}

/** Of several heads, deletes those that have ended, then those that no worker uses. */
function planExtraHeads(state: ClusterState, heads: readonly PodRecord[]): HeadDecision {
  const ended = heads.filter((pod) => reasonToDelete(pod, state.context.env) !== undefined);
  const removed = ended.flatMap((pod) => deleteHead(state, pod, describeState(pod)));
  if (removed.length > 0) return { actions: removed, mayContinue: ended.length < heads.length };
  const choice = chooseHead(state, heads);
  if (choice === undefined) return { actions: [warnAboutDuplicateHeads(state, heads)], mayContinue: true };
  const why = `no worker uses it, and ${choice.workers} use head Pod ${fullName(state, choice.used.name)}`;
  return { actions: choice.unused.flatMap((pod) => deleteHead(state, pod, why)), mayContinue: true };
}

function createHead(state: ClusterState): HeadDecision {
  const { cluster, spec, context } = state;
  if (!isHeadWanted(state)) return { actions: [], mayContinue: false };
  const hold = allowedCreations(state, GroupName.Head, 1);
  if (hold.count === 0) return { actions: hold.actions, mayContinue: false };
  const built = stampHeadPod(
    buildHeadPod(cluster, specForPods(state), context),
    specHash(spec),
    context.operatorVersion,
  );
  const pod = forScheduler(state, GroupName.Head)(built);
  const podName = pod.metadata?.name ?? headName(state);
  const action: Action = {
    type: 'create',
    kind: 'Pod',
    objects: [{ ...pod, metadata: { ...pod.metadata, name: podName } }],
    whenExists: 'fine-if-ours',
    done: normal(RayClusterEventReason.CreatedHeadPod, 'Create', `Created head Pod ${fullName(state, podName)}`),
    failed: warning(
      RayClusterEventReason.FailedToCreateHeadPod,
      'Create',
      `Failed to create head Pod ${fullName(state, podName)}`,
    ),
    failure: 'FailedCreateHeadPod',
    group: GroupName.Head,
  };
  return { actions: [action], mayContinue: true };
}

function deleteHead(state: ClusterState, pod: PodRecord, why: string): readonly Action[] {
  const description = `head Pod ${fullName(state, pod.name)}; ${why}`;
  return deleteOwn(state.uid, 'Pod', pod, {
    done: normal(RayClusterEventReason.DeletedHeadPod, 'Delete', `Deleted ${description}`),
    failed: warning(RayClusterEventReason.FailedToDeleteHeadPod, 'Delete', `Failed deleting ${description}`),
    failure: 'FailedDeleteHeadPod',
  });
}
