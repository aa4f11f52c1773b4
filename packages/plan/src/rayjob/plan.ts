import { isManagedExternally, JobDeploymentStatus, type RayJobStatus } from '@manta/api';
import type { ReconcilePlan } from '../plan.ts';
import { deleteOrphanedClusters } from './cluster-deletion.ts';
import { finishDeletion } from './deletion.ts';
import { maintainGang } from './gang.ts';
import { afterPlan, type RayJobMemory } from './memory.ts';
import type { ObservedRayJob } from './observed.ts';
import { type JobState, jobStateOf } from './state.ts';
import { cleanUpCompletedJob } from './states/complete.ts';
import { cleanUpFailedJob } from './states/failed.ts';
import { initializeJob } from './states/initializing.ts';
import { startAttempt } from './states/new.ts';
import { prepareRetry } from './states/retrying.ts';
import { superviseRunningJob } from './states/running.ts';
import { staySuspended } from './states/suspended.ts';
import { finishSuspension } from './states/suspending.ts';
import { recoverFromValidationFailure } from './states/validation-failed.ts';
import { waitForUserSubmission } from './states/waiting.ts';
import { statusToWrite, withAttemptAccounting } from './status.ts';
import { firstStep, type Policy, type Step, stay } from './step.ts';
import { troubleEvents } from './trouble.ts';
import { rejectInvalidJob } from './validation.ts';

export type RayJobPlan = ReconcilePlan<RayJobStatus, RayJobMemory>;

/**
 * Decisions in order; the first that applies is the plan.
 *
 * 1. A job that another controller manages stays untouched.
 * 2. A deleted job is stopped on Ray and then released.
 * 3. An invalid job moves to ValidationFailed.
 * 4. Any other job advances from its current state.
 */
const POLICIES: readonly Policy[] = [leaveToOtherManager, finishDeletion, rejectInvalidJob, advanceFromState];

/** What the job does in each state of `status.jobDeploymentStatus`, and the states that may follow. */
const STATES: Readonly<Record<JobDeploymentStatus, (state: JobState) => Step>> = {
  // → Initializing
  [JobDeploymentStatus.New]: startAttempt,
  // → Running, Waiting (InteractiveMode), Suspending, Failed
  [JobDeploymentStatus.Initializing]: initializeJob,
  // → Running, Failed
  [JobDeploymentStatus.Waiting]: withMaintainedGang(waitForUserSubmission),
  // → Complete, Failed, Suspending
  [JobDeploymentStatus.Running]: withMaintainedGang(superviseRunningJob),
  // → Suspended
  [JobDeploymentStatus.Suspending]: finishSuspension,
  // → New
  [JobDeploymentStatus.Suspended]: staySuspended,
  // → New; a Failed job with retries left (backoffLimit) becomes Retrying, see withAttemptAccounting
  [JobDeploymentStatus.Retrying]: prepareRetry,
  [JobDeploymentStatus.Complete]: cleanUpCompletedJob,
  [JobDeploymentStatus.Failed]: cleanUpFailedJob,
  // → the state before the validation failure
  [JobDeploymentStatus.ValidationFailed]: recoverFromValidationFailure,
};

/** The plan for a RayJob: actions in order, the status after them, and the memory for the next reconcile. */
export function planRayJob(observed: ObservedRayJob, memory: RayJobMemory): RayJobPlan {
  const state = jobStateOf(observed, memory);
  const step = firstStep(POLICIES, state) ?? stay();
  const { actions, requeueAfterMs } = step;
  const status = step.status === undefined ? undefined : statusToWrite(state.status, step.status, state.now);
  return {
    actions: [...actions, ...troubleEvents(state.status, status)],
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
    ...(status === undefined ? {} : { status }),
    memory: afterPlan(state, step, status),
  };
}

function leaveToOtherManager({ job }: JobState): Step | undefined {
  return isManagedExternally(job.spec) ? stay() : undefined;
}

function advanceFromState(state: JobState): Step {
  const current = state.status.jobDeploymentStatus ?? JobDeploymentStatus.New;
  // A newer version of the operator may know other states. Jobs in such a state stay unchanged.
  const step = Object.hasOwn(STATES, current) ? STATES[current](state) : stay();
  const status = step.status === undefined ? {} : { status: withAttemptAccounting(state, step.status) };
  return { ...step, actions: [...deleteOrphanedClusters(state), ...step.actions], ...status };
}

/** A job that has started keeps its pod group in the batch scheduler up to date. */
function withMaintainedGang(decide: (state: JobState) => Step): (state: JobState) => Step {
  return (state) => maintainGang(state, decide(state));
}
