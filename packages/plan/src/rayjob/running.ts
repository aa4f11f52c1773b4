import { DefaultSeconds, JobDeploymentStatus, JobFailedReason, JobSubmissionMode, RayJobState } from '@manta/api';
import { planMissingCluster } from './cluster.ts';
import { isOver, msToActiveDeadline, pastActiveDeadline } from './deadlines.ts';
import { msToGraceEnd, pastGrace } from './grace.ts';
import { planHeadService } from './head-service.ts';
import { isBeyondDoubt, judge } from './judge.ts';
import { isHeadless, NO_HEAD, withoutHeadToRunIn } from './lost-head.ts';
import type { JobAnswer } from './observed.ts';
import { isTerminalState } from './pairs.ts';
import { msToAbsenceTimeout, msToStatusCheckTimeout, pastAbsence, pastStatusCheckTimeout } from './status-check.ts';
import { fail, move, type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';
import { submitterOf } from './submitter.ts';
import { plainTime, soonest } from './times.ts';

/** When a Service that was refused is tried again. */
const SERVICE_MS = 10_000;

/** Follows a job that Ray has, or is about to have. What Ray says of its end counts more than any timer. */
export function follow(subject: Subject): Step {
  const { spec, status, cluster, answer } = subject;
  if (spec.suspend === true) return giveWay(subject);
  const submitter = submitterOf(subject);
  if (isBeyondDoubt(subject, submitter)) return judge(subject, submitter);
  if (isTerminalState(status.jobStatus) && isNothingLeftToWaitFor(subject)) return conclude(subject);
  const late = pastActiveDeadline(subject);
  // The job may have ended in time, unseen: Ray is asked once more before the deadline counts. The job is stopped once that is written.
  if (late !== undefined && !tellsEnd(answer)) return answer.kind === 'awaited' ? stay() : late;
  const cut = pastGrace(subject) ?? pastStatusCheckTimeout(subject, submitter);
  if (cut !== undefined) return cut;
  if (cluster === undefined) return withoutCluster(subject);
  const step = withoutHead(subject) ?? foreignSubmitter(subject) ?? judge(subject, submitter);
  const service = planHeadService(subject);
  const serviceMs = service.some(({ type }) => type !== 'event') ? SERVICE_MS : undefined;
  return {
    ...step,
    actions: [...service, ...step.actions],
    requeueAfterMs: soonest(step.requeueAfterMs, nextLook(subject), serviceMs),
  };
}

/**
 * An end that Ray has told, or tells when it is asked, stands: a suspension must not make the job run once more. A head that does not answer
 * is not waited for.
 */
function giveWay(subject: Subject): Step {
  const { status, answer } = subject;
  if (isTerminalState(status.jobStatus)) return conclude(subject);
  if (answer.kind === 'awaited') return stay();
  return tellsEnd(answer)
    ? judge(subject, submitterOf(subject))
    : move(subject, { jobDeploymentStatus: JobDeploymentStatus.Suspending });
}

function tellsEnd(answer: JobAnswer): boolean {
  return answer.kind === 'answered' && isTerminalState(answer.report?.status);
}

/** Whether a job of which Ray told the end has lost its cluster, its head or its time before its submitter came to an end. */
function isNothingLeftToWaitFor(subject: Subject): boolean {
  const { cluster, answer, heads, mode } = subject;
  const isForgotten = answer.kind === 'answered' && !isTerminalState(answer.report?.status);
  const isWithoutHead = mode === JobSubmissionMode.Sidecar && heads.length === 0;
  const isTooLate = isOver(msToActiveDeadline(subject)) || isOver(msToStatusCheckTimeout(subject));
  return cluster === undefined || isForgotten || isWithoutHead || isTooLate;
}

/** What Ray has told of a job's end stands, whatever comes after. */
function conclude(subject: Subject): Step {
  const hasFailed = subject.status.jobStatus === RayJobState.Failed;
  return move(subject, {
    jobDeploymentStatus: hasFailed ? JobDeploymentStatus.Failed : JobDeploymentStatus.Complete,
    reason: hasFailed ? JobFailedReason.AppFailed : undefined,
  });
}

/** The next moment at which something changes by itself. */
function nextLook(subject: Subject): number | undefined {
  return soonest(
    msToActiveDeadline(subject),
    msToGraceEnd(subject),
    msToStatusCheckTimeout(subject),
    msToAbsenceTimeout(subject),
  );
}

/** A submitter that sits in the head pod goes with it, and so does Ray, which nobody else would start again. */
function withoutHead(subject: Subject): Step | undefined {
  const { heads, mode } = subject;
  if (mode !== JobSubmissionMode.Sidecar || heads.length === 1) return undefined;
  if (heads.length > 1) {
    const names = heads.map(({ name }) => name).join(' ');
    return stay([{ type: 'abort', message: `found ${heads.length} head pods [${names}], and one is expected` }]);
  }
  return isHeadless(subject) ? fail(subject, JobFailedReason.AppFailed, NO_HEAD) : undefined;
}

/** A cluster that is gone comes back, but for one whose head would run the job once more by itself, and nobody would know. */
function withoutCluster(subject: Subject): Step {
  if (subject.mode === JobSubmissionMode.Sidecar) return withoutHeadToRunIn(subject);
  return pastAbsence(subject) ?? stay(planMissingCluster(subject), nextLook(subject));
}

/** Clocks of different machines differ, but not by that much. */
const FOREIGN_MS = 3_600_000;

/** A submitter that ended long before there was such a RayJob has submitted something else, if anything. */
function foreignSubmitter(subject: Subject): Step | undefined {
  const { status, job } = subject;
  const submitter = submitterOf(subject);
  const created = Date.parse(job.metadata?.creationTimestamp ?? '');
  if (submitter.kind !== 'finished' && submitter.kind !== 'failed') return undefined;
  if (!(submitter.at + FOREIGN_MS < created) || isTerminalState(status.jobStatus)) return undefined;
  const { SubmitterFinishedTimeout } = DefaultSeconds;
  return move(subject, {
    jobStatus: RayJobState.Failed,
    jobDeploymentStatus: JobDeploymentStatus.Failed,
    reason: JobFailedReason.JobDeploymentStatusTransitionGracePeriodExceeded,
    message: `The RayJob submitter finished at ${plainTime(submitter.at)} but the ray job did not reach terminal state within ${SubmitterFinishedTimeout}s`,
  });
}
