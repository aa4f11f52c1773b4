import { JobDeploymentStatus, JobFailedReason, type RayJobStatus } from '@manta/api';
import type { Action } from '../plan.ts';
import { isTerminalState } from './pairs.ts';
import { type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';
import { msFromThen } from './times.ts';

/** The command under which a job is stopped. */
export function stopId(jobId: string): string {
  return `stop/${jobId}`;
}

/** A head that could not be told to stop is told again, for this long. */
const TELL_FOR_MS = 300_000;
const TELL_AGAIN_MS = 10_000;

/** Whether the job was cut off by its deadline, so that Ray may still run it. */
export function isCutOff({ jobDeploymentStatus, jobStatus, reason }: RayJobStatus): boolean {
  const isLate = jobDeploymentStatus === JobDeploymentStatus.Failed && reason === JobFailedReason.DeadlineExceeded;
  return isLate && !isTerminalState(jobStatus);
}

/** Makes sure that a job that was cut off has been stopped, as far as that can be made sure. */
export function keepStopping(subject: Subject): Step {
  const { status, stopping, now } = subject;
  const isGivenUp = now - Date.parse(status.endTime ?? '') > TELL_FOR_MS;
  if (!isCutOff(status) || isGivenUp || stopping?.state === 'done' || stopping?.state === 'running') return stay();
  const waitMs = stopping === undefined ? 0 : msFromThen(stopping.at, TELL_AGAIN_MS, now);
  if (waitMs > 0) return stay([], waitMs);
  const actions = stopJob(subject);
  return stay(actions, actions.length === 0 ? undefined : TELL_AGAIN_MS);
}

/** Stops the job on its head, where it may still run. */
export function stopJob({ status, cluster }: Subject): readonly Action[] {
  const { jobId = '', dashboardURL, rayClusterName = '', jobStatus } = status;
  if (cluster === undefined || dashboardURL === undefined || isTerminalState(jobStatus)) return [];
  return [{ type: 'ray', id: stopId(jobId), cluster: rayClusterName, command: { kind: 'stop', jobId } }];
}
