import { Finalizer, JobDeploymentStatus, JobSubmissionMode, Label, RayJobState, type Time } from '@manta/api';
import { patchSelf } from '../ownership.ts';
import type { Action } from '../plan.ts';
import { timestamp } from '../shared/timestamp.ts';
import { nextAttempt, withAttempt } from './attempts.ts';
import { nextIds } from './ids.ts';
import { move, type Step } from './step.ts';
import type { Subject } from './subject.ts';

/** A new attempt: what it will be called is written down before anything is made under that name. */
export function begin(subject: Subject): Step {
  const { spec, status, mode, isSelecting } = subject;
  const ids = nextIds({ ...subject, attempt: nextAttempt(status) });
  const rayClusterName = isSelecting ? spec.clusterSelector?.[Label.Cluster] : ids.cluster;
  const jobId = mode === JobSubmissionMode.Interactive ? undefined : spec.jobId || ids.job;
  const startTime = startOf(subject);
  const step = move(
    subject,
    {
      jobId,
      rayClusterName,
      jobStatus: RayJobState.New,
      jobDeploymentStatus: JobDeploymentStatus.Initializing,
      startTime,
      attempts: withAttempt(status, { rayClusterName: rayClusterName ?? '', submissionId: jobId ?? '', startTime }),
    },
    addFinalizer(subject),
  );
  return { ...step, isBeginning: true };
}

/** No two attempts start at the same time, by the seconds that a status has: the names of the next one are made from it. */
function startOf({ status, now }: Subject): Time {
  const before = Date.parse(status.startTime ?? '');
  const current = timestamp(now);
  return before >= Date.parse(current) ? timestamp(before + 1000) : current;
}

/** So that a deletion passes by us, and a job that runs is stopped. */
function addFinalizer({ job }: Subject): readonly Action[] {
  const { finalizers = [], resourceVersion } = job.metadata ?? {};
  if (finalizers.includes(Finalizer.RayJob)) return [];
  const patch = { metadata: { resourceVersion, finalizers: [...finalizers, Finalizer.RayJob] } };
  return [patchSelf('RayJob', job, patch)];
}
