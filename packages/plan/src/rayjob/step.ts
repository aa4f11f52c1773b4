import type { JobFailedReason, RayJobStatus } from '@manta/api';
import type { Action } from '../plan.ts';
import type { Subject } from './subject.ts';

/** What one look at a job comes to. Without a status the stored one is left as it is. */
export interface Step {
  readonly actions: readonly Action[];
  readonly status?: RayJobStatus;
  readonly requeueAfterMs?: number | undefined;
  /** The names of an attempt are written down by this step, and nothing has been made under them since. */
  readonly isBeginning?: boolean;
}

/** Nothing changes; look again when something happens, or after `requeueAfterMs`. */
export function stay(actions: readonly Action[] = [], requeueAfterMs?: number): Step {
  return { actions, requeueAfterMs };
}

/** The job moves on: these fields of its status change. A field that is given as undefined is removed. */
export function move(subject: Pick<Subject, 'status'>, fields: Changes, actions: readonly Action[] = []): Step {
  return { actions, status: changed(subject.status, fields) };
}

/** The job has failed; whether it is tried again is decided later. */
export function fail(
  subject: Pick<Subject, 'status'>,
  reason: JobFailedReason,
  message: string | undefined,
  actions: readonly Action[] = [],
): Step {
  const told = message === undefined ? {} : { message };
  return move(subject, { jobDeploymentStatus: 'Failed', reason, ...told }, actions);
}

export type Changes = { readonly [Field in keyof RayJobStatus]?: RayJobStatus[Field] | undefined };

/** A status with some fields replaced; what is empty is left out, as the API does. */
export function changed(status: RayJobStatus, fields: Changes): RayJobStatus {
  return Object.fromEntries(
    Object.entries({ ...status, ...fields }).filter(([, value]) => value !== undefined && value !== ''),
  );
}
