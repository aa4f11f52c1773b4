import { JobDeploymentStatus, JobFailedReason, JobSubmissionMode, type RayJobStatus } from '@manta/api';
import type { Action } from '../plan.ts';
import { deleteSubmitter } from './cleanup.ts';
import { isTerminalState } from './pairs.ts';
import { type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';
import { submitterOf } from './submitter.ts';
import { msFromThen } from './times.ts';

/** The command under which a job is stopped. */
export function stopId(jobId: string): string {
  return `stop/${jobId}`;
}

/** A head that could not be told to stop is told again, for this long; longer only while somebody may still submit. */
const TELL_FOR_MS = 300_000;
const TELL_AGAIN_MS = 10_000;

const LATE: readonly (string | undefined)[] = [
  JobFailedReason.DeadlineExceeded,
  JobFailedReason.PreRunningDeadlineExceeded,
];

/** Whether the job was cut off by a deadline, so that Ray may still run it. One without an id was never Ray's, as far as we know. */
export function isCutOff({ jobDeploymentStatus, jobStatus, reason, jobId }: RayJobStatus): boolean {
  const isLate = jobDeploymentStatus === JobDeploymentStatus.Failed && LATE.includes(reason);
  return isLate && Boolean(jobId) && !isTerminalState(jobStatus);
}

/** Makes sure that a job that was cut off has been stopped, as far as that can be made sure. */
export function keepStopping(subject: Subject): Step {
  const { status, stopping, answer, now } = subject;
  if (!isCutOff(status) || isStopped(subject) || stopping?.state === 'running') return stay();
  const waitMs = stopping === undefined ? 0 : msFromThen(stopping.at, TELL_AGAIN_MS, now);
  if (waitMs > 0) return stay([], waitMs);
  const isLate = now - Date.parse(status.endTime ?? '') > TELL_FOR_MS;
  if (isLate && !mayStillCome(subject)) return stay();
  const address = status.dashboardURL ?? submittersHead(subject) ?? ownHead(subject);
  // A head that cannot even be looked up is never told.
  const isTried = stopping !== undefined || answer.kind === 'unreachable' || address === undefined;
  const actions = [...(isLate && isTried ? withdraw(subject) : []), ...stopJob(subject, address)];
  const isWaiting = actions.length > 0 || (!isLate && mayStillCome(subject));
  return stay(actions, isWaiting ? TELL_AGAIN_MS : undefined);
}

/**
 * Whether somebody still is to submit the job, and will when he gets to it, however late. Where attempts are not kept another operator may
 * have ended the job long ago, and what it has left is left alone.
 */
function mayStillCome(subject: Subject): boolean {
  const { status, mode, cluster } = subject;
  if (cluster === undefined || status.attempts === undefined || submitterOf(subject).kind !== 'working') return false;
  return mode !== JobSubmissionMode.Sidecar || isHeadUp(subject);
}

/**
 * Takes away a submitter that has not come to submit in all that time; its pods go first, and until then Ray is told. Where it may not be
 * taken away, Ray is told all the same, and whatever else is to go does.
 */
function withdraw(subject: Subject): readonly Action[] {
  if (subject.mode !== JobSubmissionMode.K8sJob) return [];
  return deleteSubmitter(subject, { propagation: 'Foreground', isOptional: true });
}

/** What Ray did not have when it was told to stop it may have come since, or may still: from a submitter, or a submission of ours. */
function isStopped(subject: Subject): boolean {
  const { stopping, submission, endSeenAt = Number.NEGATIVE_INFINITY } = subject;
  if (stopping?.state !== 'done') return false;
  const { at, isInVain = false } = stopping;
  const mayBeSubmitted = submission !== undefined && (submission.state === 'running' || submission.at >= at);
  const mayHaveCome = submitterOf(subject).kind === 'working' || mayBeSubmitted || endSeenAt >= at;
  return !isInVain || !mayHaveCome;
}

/** Where a submitter submits that came of a request without an answer, so that nobody has written down where that is. */
export function submittersHead(subject: Subject): string | undefined {
  const { mode, address } = subject;
  const isThere = mode === JobSubmissionMode.K8sJob && submitterOf(subject).kind !== 'missing';
  return isThere && address.isFound ? address.address : undefined;
}

/** A submitter within the head submits as soon as there is a head, whether or not the rest of the cluster has come up. */
function ownHead(subject: Subject): string | undefined {
  const { mode, address } = subject;
  return mode === JobSubmissionMode.Sidecar && isHeadUp(subject) && address.isFound ? address.address : undefined;
}

function isHeadUp({ heads }: Subject): boolean {
  return heads.some(({ phase }) => phase === 'Running');
}

/** Stops the job on its head, where it may still run. */
export function stopJob({ status, cluster }: Subject, address = status.dashboardURL): readonly Action[] {
  const { jobId = '', rayClusterName = '', jobStatus } = status;
  if (cluster === undefined || address === undefined || isTerminalState(jobStatus)) return [];
  return [{ type: 'ray', id: stopId(jobId), cluster: rayClusterName, command: { kind: 'stop', jobId } }];
}
