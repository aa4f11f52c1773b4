import { type Job, type JobCondition, millis, type Pod, timestamp } from '@manta/api';

/** How a job will end, decided before it has: `FailureTarget` or `SuccessCriteriaMet`. */
export interface Verdict {
  readonly type: 'FailureTarget' | 'SuccessCriteriaMet';
  readonly reason: string;
  readonly message: string;
}

/** The condition that ends a job of this verdict. */
export const END_OF = { FailureTarget: 'Failed', SuccessCriteriaMet: 'Complete' } as const;

interface Counts {
  readonly active: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
}

/** Whether a job has to end now, and why. A verdict stands once it was given. */
export function judge(job: Job, counts: Counts, nowMs: number): Verdict | undefined {
  return standingVerdict(job) ?? failure(job, counts, nowMs) ?? success(job, counts);
}

/** The verdict that was written down before. */
export function standingVerdict(job: Job): Verdict | undefined {
  for (const type of ['FailureTarget', 'SuccessCriteriaMet'] as const) {
    const condition = trueCondition(job, type);
    if (condition !== undefined) return { type, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

function failure(job: Job, counts: Counts, nowMs: number): Verdict | undefined {
  if (hasTooManyFailures(job, counts)) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadline = deadlineOf(job);
  if (deadline !== undefined && nowMs >= deadline) {
    return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  return undefined;
}

/** Where containers restart in place, their restarts count instead of failed pods. */
function hasTooManyFailures(job: Job, { active, failed: failures }: Counts): boolean {
  const limit = job.spec?.backoffLimit ?? 6;
  if (failures > limit) return true;
  if (job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = active
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function success(job: Job, { active, succeeded }: Counts): Verdict | undefined {
  const completions = job.spec?.completions;
  const isDone = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  if (!isDone || isSuspended(job)) return undefined;
  return {
    type: 'SuccessCriteriaMet',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
}

/** When a running job runs out of time. */
export function deadlineOf(job: Job): number | undefined {
  const start = millis(job.status?.startTime);
  const seconds = job.spec?.activeDeadlineSeconds;
  return start === undefined || seconds === undefined || isSuspended(job) ? undefined : start + seconds * 1000;
}

/** Whether the user has put the job on hold. */
export function isSuspended(job: Job): boolean {
  return job.spec?.suspend === true;
}

/** The condition that says how the job ended, where it has. */
export function endOf(job: Job): JobCondition | undefined {
  return trueCondition(job, 'Complete') ?? trueCondition(job, 'Failed');
}

/** A condition that holds. */
export function trueCondition(job: Job, type: string): JobCondition | undefined {
  return job.status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** The conditions with one set; one that says the same keeps its times. */
export function withCondition(
  conditions: readonly JobCondition[],
  set: Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>,
  nowMs: number,
): readonly JobCondition[] {
  const at = conditions.findIndex(({ type }) => type === set.type);
  const old = conditions[at];
  if (old?.status === set.status && old.reason === set.reason && old.message === set.message) return conditions;
  const time = timestamp(nowMs);
  const next = { ...set, lastProbeTime: time, lastTransitionTime: time };
  return old === undefined ? [...conditions, next] : conditions.with(at, next);
}

function failed(reason: string, message: string): Verdict {
  return { type: 'FailureTarget', reason, message };
}
