import { GroupName, RayClusterEventReason, specHash } from '@manta/api';
import { buildHeadPod, stampHeadPod } from '../build/head-pod.ts';
import { deleteOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { permitted } from './create-hold.ts';
import { forScheduler } from './gang.ts';
import { headName, isHeadWanted } from './head-name.ts';
import { headsOf } from './heads.ts';
import { specForPods } from './object-name.ts';
import type { PodRecord } from './observed.ts';
import type { Subject } from './subject.ts';
import { chooseHead, tellOfExtraHeads } from './two-heads.ts';
import { describeState, whyDelete } from './unhealthy.ts';

/** What to do about the head, and whether workers may be looked at in the same pass. */
export interface HeadDecision {
  readonly actions: readonly Action[];
  readonly mayGoOn: boolean;
}

export function planHead(subject: Subject): HeadDecision {
  const heads = headsOf(subject.pods);
  const staying = heads.filter(({ isTerminating }) => !isTerminating);
  if (heads.length === 0) return createHead(subject);
  if (staying.length > 1) return planExtraHeads(subject, staying);
  const ended = staying.filter((pod) => whyDelete(pod, subject.context.env) !== undefined);
  return { actions: ended.flatMap((pod) => deleteHead(subject, pod, describeState(pod))), mayGoOn: ended.length === 0 };
}

/** Of several heads those go that have ended, then those that no worker uses. */
function planExtraHeads(subject: Subject, heads: readonly PodRecord[]): HeadDecision {
  const ended = heads.filter((pod) => whyDelete(pod, subject.context.env) !== undefined);
  const removed = ended.flatMap((pod) => deleteHead(subject, pod, describeState(pod)));
  if (removed.length > 0) return { actions: removed, mayGoOn: ended.length < heads.length };
  const choice = chooseHead(subject, heads);
  if (choice === undefined) return { actions: [tellOfExtraHeads(subject, heads)], mayGoOn: true };
  const why = `no worker uses it, and ${choice.workers} use head Pod ${fullName(subject, choice.used.name)}`;
  return { actions: choice.unused.flatMap((pod) => deleteHead(subject, pod, why)), mayGoOn: true };
}

function createHead(subject: Subject): HeadDecision {
  const { cluster, spec, context } = subject;
  if (!isHeadWanted(subject)) return { actions: [], mayGoOn: false };
  const hold = permitted(subject, GroupName.Head, 1);
  if (hold.count === 0) return { actions: hold.actions, mayGoOn: false };
  const built = stampHeadPod(
    buildHeadPod(cluster, specForPods(subject), context),
    specHash(spec),
    context.operatorVersion,
  );
  const pod = forScheduler(subject, GroupName.Head)(built);
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
    group: GroupName.Head,
  };
  return { actions: [action], mayGoOn: true };
}

function deleteHead(subject: Subject, pod: PodRecord, why: string): readonly Action[] {
  const told = `head Pod ${fullName(subject, pod.name)}; ${why}`;
  return deleteOwn(subject.uid, 'Pod', pod, {
    done: normal(RayClusterEventReason.DeletedHeadPod, 'Delete', `Deleted ${told}`),
    failed: warning(RayClusterEventReason.FailedToDeleteHeadPod, 'Delete', `Failed deleting ${told}`),
    failure: 'FailedDeleteHeadPod',
  });
}
