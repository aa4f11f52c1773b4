import { type JobFailedReason, JobDeploymentStatus, type RayJobStatus } from '@manta/api';
import type { Action } from '../plan.ts';
import type { JobState } from './state.ts';

/** The outcome of one decision. Without a status the stored status stays unchanged. */
export interface Step {
  readonly actions: readonly Action[];
  readonly status?: RayJobStatus;
  readonly requeueAfterMs?: number | undefined;
  /** The step records the name of a cluster that does not exist and never did. */
  readonly namesNewCluster?: boolean;
}

/** A named decision: a step if it applies to the job, undefined if the next policy decides. */
export type Policy = (state: JobState) => Step | undefined;

/** The step of the first policy that applies; undefined if none does. */
export function firstStep(policies: readonly Policy[], state: JobState): Step | undefined {
  for (const policy of policies) {
    const step = policy(state);
    if (step !== undefined) return step;
  }
  return undefined;
}

/** The status stays unchanged. The job is reconciled again after an event, or after `requeueAfterMs`. */
export function stay(actions: readonly Action[] = [], requeueAfterMs?: number): Step {
  return { actions, requeueAfterMs };
}

/** These fields of the status change. A field given as undefined is removed. */
export function move(state: Pick<JobState, 'status'>, fields: Changes, actions: readonly Action[] = []): Step {
  return { actions, status: withFields(state.status, fields) };
}

/** The attempt has failed. `withAttemptAccounting` decides whether the job is retried. */
export function failAttempt(
  state: Pick<JobState, 'status'>,
  reason: JobFailedReason,
  message: string | undefined,
  actions: readonly Action[] = [],
): Step {
  const explained = message === undefined ? {} : { message };
  return move(state, { jobDeploymentStatus: JobDeploymentStatus.Failed, reason, ...explained }, actions);
}

export type Changes = { readonly [Field in keyof RayJobStatus]?: RayJobStatus[Field] | undefined };

/** A status with some fields replaced. Empty fields are omitted, like in the API. */
export function withFields(status: RayJobStatus, fields: Changes): RayJobStatus {
  return Object.fromEntries(
    Object.entries({ ...status, ...fields }).filter(([, value]) => value !== undefined && value !== ''),
  );
}
