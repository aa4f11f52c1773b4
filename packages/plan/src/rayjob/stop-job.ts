import { JobDeploymentStatus, JobFailedReason, JobSubmissionMode, type RayJobStatus } from '@manta/api';
import type { Action } from '../plan.ts';
import { isHeadRunning } from './head.ts';
import type { JobState } from './state.ts';
import { isTerminalState } from './status-pairs.ts';
import { firstStep, type Policy, type Step, stay } from './step.ts';
import { deleteSubmitter, submitterState } from './submitter.ts';
import { isStopWindowOver, remainingWaitMs, STOP_RETRY_MS } from './timers.ts';

/** The id of the command that stops a job. */
export function stopId(jobId: string): string {
  return `stop/${jobId}`;
}

/** Stops the job on its head. Empty if Ray cannot run the job, or no head can be asked. */
export function stopRayJob({ status, cluster }: JobState, address = status.dashboardURL): readonly Action[] {
  const { jobId = '', rayClusterName = '', jobStatus } = status;
  if (cluster === undefined || address === undefined || isTerminalState(jobStatus)) return [];
  return [{ type: 'ray', id: stopId(jobId), cluster: rayClusterName, command: { kind: 'stop', jobId } }];
}

const DEADLINE_REASONS: readonly (string | undefined)[] = [
  JobFailedReason.DeadlineExceeded,
  JobFailedReason.PreRunningDeadlineExceeded,
];

/** Whether a deadline failed the job while Ray may still run it. A job without an id was never submitted. */
export function isCutOffByDeadline({ jobDeploymentStatus, jobStatus, reason, jobId }: RayJobStatus): boolean {
  const isLate = jobDeploymentStatus === JobDeploymentStatus.Failed && DEADLINE_REASONS.includes(reason);
  return isLate && Boolean(jobId) && !isTerminalState(jobStatus);
}

/** When the operator does not send a stop request, in this order. */
const REASONS_NOT_TO_STOP: readonly Policy[] = [
  ({ status }) => (isCutOffByDeadline(status) ? undefined : stay()),
  (state) => (isStopConfirmed(state) || state.stopping?.state === 'running' ? stay() : undefined),
  waitForStopRetry,
  (state) => (isStopWindowOver(state) && !mayStillSubmit(state) ? stay() : undefined),
];

/** Stops a job that was cut off by its deadline, and retries until Ray confirms it or the retry window is over. */
export function stopJobPastDeadline(state: JobState): Step {
  return firstStep(REASONS_NOT_TO_STOP, state) ?? sendStop(state);
}

function waitForStopRetry({ stopping, now }: JobState): Step | undefined {
  const waitMs = stopping === undefined || !('at' in stopping) ? 0 : remainingWaitMs(stopping.at, STOP_RETRY_MS, now);
  return waitMs > 0 ? stay([], waitMs) : undefined;
}

function sendStop(state: JobState): Step {
  const { status, stopping, answer } = state;
  const isLate = isStopWindowOver(state);
  const address = status.dashboardURL ?? submitterDashboard(state) ?? sidecarDashboard(state);
  // A head without an address or a token never gets a stop request, which then counts as sent.
  const wasSent = stopping !== undefined || answer.kind === 'unreachable' || address === undefined;
  const actions = [...(isLate && wasSent ? deleteIdleSubmitter(state) : []), ...stopRayJob(state, address)];
  const isRetried = actions.length > 0 || (!isLate && mayStillSubmit(state));
  return stay(actions, isRetried ? STOP_RETRY_MS : undefined);
}

/**
 * Whether a submitter exists that will submit the job as soon as it can, however late. Without a list of attempts another operator may have
 * ended the job long ago: its leftovers stay untouched.
 */
function mayStillSubmit(state: JobState): boolean {
  const { status, mode, cluster } = state;
  if (cluster === undefined || status.attempts === undefined || submitterState(state).kind !== 'working') return false;
  return mode !== JobSubmissionMode.Sidecar || isHeadRunning(state);
}

/**
 * Deletes a submitter that has not submitted within the stop window. Its pods are deleted first (Foreground); until then Ray gets stop
 * requests. The deletion is optional: without permission the rest of the plan continues.
 */
function deleteIdleSubmitter(state: JobState): readonly Action[] {
  if (state.mode !== JobSubmissionMode.K8sJob) return [];
  return deleteSubmitter(state, { propagation: 'Foreground', isOptional: true });
}

/**
 * Whether a stop request is done for good. If Ray did not have the job then, a submitter or a submission of ours may have delivered the job
 * later, and the job has to be stopped again.
 */
function isStopConfirmed(state: JobState): boolean {
  const { stopping, submission, endSeenAt = Number.NEGATIVE_INFINITY } = state;
  if (stopping?.state !== 'done') return false;
  const { at, wasNotRunning = false } = stopping;
  const mayBeSubmitted = submission !== undefined && (submission.state === 'running' || submission.at >= at);
  const mayHaveArrived = submitterState(state).kind === 'working' || mayBeSubmitted || endSeenAt >= at;
  return !wasNotRunning || !mayHaveArrived;
}

/** The dashboard that an existing submitter Job submits to, if the status does not record it: the create request got no response. */
export function submitterDashboard(state: JobState): string | undefined {
  const { mode, address } = state;
  const exists = mode === JobSubmissionMode.K8sJob && submitterState(state).kind !== 'missing';
  return exists && address.isFound ? address.address : undefined;
}

/** A submitter in the head pod submits as soon as the head runs, before the rest of the cluster is ready. */
function sidecarDashboard(state: JobState): string | undefined {
  const { mode, address } = state;
  return mode === JobSubmissionMode.Sidecar && isHeadRunning(state) && address.isFound ? address.address : undefined;
}
