import {
  Finalizer,
  JobDeploymentStatus,
  JobSubmissionMode,
  Label,
  RayJobState,
  type Time,
  timestamp,
} from '@manta/api';
import { patchSelf } from '../../ownership.ts';
import type { Action } from '../../plan.ts';
import { appendAttempt, nextAttemptNames } from '../attempts.ts';
import type { JobState } from '../state.ts';
import { move, type Step } from '../step.ts';

/** New: starts an attempt. The names of its cluster and Ray job are recorded in the status before anything is created under them. */
export function startAttempt(state: JobState): Step {
  const { spec, status, mode, selectsExistingCluster } = state;
  const names = nextAttemptNames(state);
  const rayClusterName = selectsExistingCluster ? spec.clusterSelector?.[Label.Cluster] : names.cluster;
  const jobId = mode === JobSubmissionMode.Interactive ? undefined : spec.jobId || names.job;
  const startTime = uniqueStartTime(state);
  const step = move(
    state,
    {
      jobId,
      rayClusterName,
      jobStatus: RayJobState.New,
      jobDeploymentStatus: JobDeploymentStatus.Initializing,
      startTime,
      attempts: appendAttempt(status, { rayClusterName: rayClusterName ?? '', submissionId: jobId ?? '', startTime }),
    },
    addFinalizer(state),
  );
  return { ...step, namesNewCluster: true };
}

/** A status stores whole seconds. No two attempts share a start time, because the next attempt's names are derived from it. */
function uniqueStartTime({ status, now }: JobState): Time {
  const before = Date.parse(status.startTime ?? '');
  const current = timestamp(now);
  return before >= Date.parse(current) ? timestamp(before + 1000) : current;
}

/** The finalizer lets the operator stop a running Ray job before the RayJob is deleted. */
function addFinalizer({ job }: JobState): readonly Action[] {
  const { finalizers = [], resourceVersion } = job.metadata ?? {};
  if (finalizers.includes(Finalizer.RayJob)) return [];
  const patch = { metadata: { resourceVersion, finalizers: [...finalizers, Finalizer.RayJob] } };
  return [patchSelf('RayJob', job, patch)];
}
