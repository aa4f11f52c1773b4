import { type Job, type JobCondition, type JobStatus, timestamp } from '@manta/api';
import { END_OF, isSuspended, trueCondition, type Verdict, withCondition } from './job-conditions.ts';
import type { TrackedPods } from './tracked-pods.ts';

/** What a status is made of. */
export interface StatusInput {
  readonly job: Job;
  readonly pods: TrackedPods;
  readonly verdict: Verdict | undefined;
  /** Uids of ended pods whose finalizers have yet to go. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly nowMs: number;
}

/** The status while ended pods are counted: it names them, so that none is counted twice after a crash. */
export function countingStatus(input: StatusInput): JobStatus {
  const { job, uncounted } = input;
  const { succeeded = 0, failed = 0 } = job.status ?? {};
  const named = {
    ...(uncounted.succeeded.length > 0 ? { succeeded: uncounted.succeeded } : {}),
    ...(uncounted.failed.length > 0 ? { failed: uncounted.failed } : {}),
  };
  return assemble(input, { succeeded, failed, uncountedTerminatedPods: named, conditions: conditionsOf(input) });
}

/** The status when they are counted: the end of the job with it, when nothing of it is left running. */
export function countedStatus(input: StatusInput): JobStatus {
  const { job, uncounted, verdict, pods, nowMs } = input;
  const succeeded = (job.status?.succeeded ?? 0) + uncounted.succeeded.length;
  const failed = (job.status?.failed ?? 0) + uncounted.failed.length;
  const counted = { succeeded, failed, uncountedTerminatedPods: {} };
  const conditions = conditionsOf(input);
  if (verdict === undefined || pods.active.length > 0 || pods.terminating > 0) {
    return assemble(input, { ...counted, conditions });
  }
  const { type, reason, message } = verdict;
  const ended = withCondition(conditions, { type: END_OF[type], status: 'True', reason, message }, nowMs);
  const completed = type === 'SuccessCriteriaMet' ? { completionTime: timestamp(nowMs) } : {};
  return assemble(input, { ...counted, ...completed, conditions: ended });
}

/** Counters of zero are left out, but for those that Kubernetes writes as zero. */
function assemble({ job, pods, nowMs }: StatusInput, counted: JobStatus): JobStatus {
  const { succeeded = 0, failed = 0, conditions = [], ...rest } = counted;
  // A suspended job has no startTime, so a resumed one gets a new one.
  const startTime = isSuspended(job) ? undefined : (job.status?.startTime ?? timestamp(nowMs));
  return {
    ...rest,
    ...(conditions.length > 0 ? { conditions } : {}),
    ...(startTime === undefined ? {} : { startTime }),
    ...(pods.active.length > 0 ? { active: pods.active.length } : {}),
    ready: pods.ready,
    terminating: pods.terminating,
    ...(succeeded > 0 ? { succeeded } : {}),
    ...(failed > 0 ? { failed } : {}),
  };
}

function conditionsOf({ job, verdict, nowMs }: StatusInput): readonly JobCondition[] {
  const before = job.status?.conditions ?? [];
  if (verdict !== undefined) {
    const { type, reason, message } = verdict;
    return withCondition(before, { type, status: 'True', reason, message }, nowMs);
  }
  if (isSuspended(job)) {
    const suspended = { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' };
    return withCondition(before, suspended, nowMs);
  }
  if (trueCondition(job, 'Suspended') === undefined) return before;
  const resumed = { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  return withCondition(before, resumed, nowMs);
}
