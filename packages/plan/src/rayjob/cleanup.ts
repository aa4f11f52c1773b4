import { Annotation, JobDeploymentStatus, RayJobEventReason } from '@manta/api';
import { deleteOwn } from '../ownership.ts';
import { type Action, type DeleteAction, normal, warning } from '../plan.ts';
import { isOwnCluster } from './cluster.ts';
import { releaseGang } from './gang.ts';
import { afterAttempt } from './status.ts';
import { changed, move, type Step, stay } from './step.ts';
import { fullName, type Subject } from './subject.ts';
import { ownSubmitter } from './submitter.ts';

/**
 * Takes down what an attempt has used, to its end whatever the spec says meanwhile, and only then lets the job be suspended or tried again.
 */
export function takeDown(subject: Subject): Step {
  const { status } = subject;
  const submitter = ownSubmitter(subject);
  if (isOwnCluster(subject) || submitter !== undefined)
    return stay([...deleteCluster(subject), ...deleteSubmitter(subject)]);
  if (isWaitingForPods(subject)) return stay([], POD_WAIT_MS);
  const next =
    status.jobDeploymentStatus === JobDeploymentStatus.Suspending
      ? JobDeploymentStatus.Suspended
      : JobDeploymentStatus.New;
  return { actions: releaseGang(subject), status: changed(afterAttempt(status), { jobDeploymentStatus: next }) };
}

/** A suspended job waits for its user. What its scheduler keeps for it, because it would not take that back before, is released then. */
export function rest(subject: Subject): Step {
  if (subject.spec.suspend !== true) return move(subject, { jobDeploymentStatus: JobDeploymentStatus.New });
  const actions = releaseGang(subject);
  return stay(actions, actions.length === 0 ? undefined : RELEASE_AGAIN_MS);
}

const RELEASE_AGAIN_MS = 60_000;

/** Pods go in the background, unseen by the job; where a user wants no two attempts side by side, they are looked for. */
const POD_WAIT_MS = 2000;

function isWaitingForPods({ job, podCount, isSelecting }: Subject): boolean {
  return !isSelecting && podCount > 0 && job.metadata?.annotations?.[Annotation.WaitForOldPods] === 'true';
}

/** Deletes the job's own cluster, unless it is going already. */
export function deleteCluster(subject: Subject): readonly Action[] {
  const { cluster } = subject;
  const { name = '', deletionTimestamp } = cluster?.metadata ?? {};
  if (cluster === undefined || !isOwnCluster(subject) || deletionTimestamp !== undefined) return [];
  const told = `cluster ${fullName(subject, name)}`;
  const done = normal(RayJobEventReason.DeletedRayCluster, 'Delete', `Deleted ${told}`);
  const failed = warning(RayJobEventReason.FailedToDeleteRayCluster, 'Delete', `Failed to delete ${told}:`);
  return deleteOwn(subject.uid, 'RayCluster', cluster, { done, failed });
}

/** Deletes the job's own submitter, unless it is going already. */
export function deleteSubmitter(
  subject: Subject,
  how: Pick<DeleteAction, 'propagation' | 'isOptional'> = { propagation: 'Background' },
): readonly Action[] {
  const submitter = ownSubmitter(subject);
  if (submitter === undefined || submitter.isTerminating === true) return [];
  const told = `submitter K8s Job ${fullName(subject, submitter.name)}`;
  const done = normal(RayJobEventReason.DeletedRayJobSubmitter, 'Delete', `Deleted ${told}`);
  const failed = warning(RayJobEventReason.FailedToDeleteRayJobSubmitter, 'Delete', `Failed to delete ${told}:`);
  return deleteOwn(subject.uid, 'Job', submitter, { ...how, done, failed });
}
