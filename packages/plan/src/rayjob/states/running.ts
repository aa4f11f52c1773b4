import { DefaultSeconds, JobDeploymentStatus, JobFailedReason, JobSubmissionMode, RayJobState } from '@manta/api';
import { createOrRequireCluster } from '../cluster.ts';
import { failAfterClusterLoss, HEAD_NOT_FOUND, isHeadless } from '../head.ts';
import { planHeadService } from '../head-service.ts';
import type { JobAnswer } from '../observed.ts';
import { applyRayAnswer } from '../ray-answer.ts';
import type { JobState } from '../state.ts';
import { failPastStatusCheckTimeout } from '../status-check.ts';
import { isTerminalState } from '../status-pairs.ts';
import { failAttempt, firstStep, move, type Policy, type Step, stay } from '../step.ts';
import { submitterState } from '../submitter.ts';
import {
  endPastGracePeriod,
  failPastActiveDeadline,
  failPastClusterAbsence,
  FOREIGN_SUBMITTER_MS,
  hasExpired,
  HEAD_SERVICE_RETRY_MS,
  msToActiveDeadline,
  msToClusterAbsenceTimeout,
  msToGracePeriodEnd,
  msToStatusCheckTimeout,
  plainTime,
  soonest,
} from '../timers.ts';

/** Decisions in order. An end that Ray reports takes precedence over every timer. The last policy always applies. */
const POLICIES: readonly Policy[] = [
  suspendRunningJob,
  endAsReportedNow,
  endAsReportedBefore,
  failUnlessEndedInTime,
  endPastGracePeriod,
  failPastStatusCheckTimeout,
  recreateMissingCluster,
  followRayAndKeepService,
];

/** Running: Ray has the job or is about to get it. The status follows Ray's answers until the job ends. */
export function superviseRunningJob(state: JobState): Step {
  return firstStep(POLICIES, state) ?? stay();
}

/** An end that Ray reports stands: a suspension must not run the job again. Ray is asked once, and not waited for if it does not answer. */
function suspendRunningJob(state: JobState): Step | undefined {
  const { spec, status, answer } = state;
  if (spec.suspend !== true) return undefined;
  if (isTerminalState(status.jobStatus)) return endAsRecorded(state);
  if (answer.kind === 'awaited') return stay();
  return reportsEnd(answer)
    ? applyRayAnswer(state)
    : move(state, { jobDeploymentStatus: JobDeploymentStatus.Suspending });
}

/** Ray reports the end and no submitter is working: nothing else can change the result. */
function endAsReportedNow(state: JobState): Step | undefined {
  const isEnd = reportsEnd(state.answer) && state.cluster !== undefined && submitterState(state).kind !== 'working';
  return isEnd ? applyRayAnswer(state) : undefined;
}

/** Ray reported the end earlier, and the wait for the submitter is pointless: the cluster, the head, Ray's record or the time is lost. */
function endAsReportedBefore(state: JobState): Step | undefined {
  const { cluster, answer, heads, mode, status } = state;
  if (!isTerminalState(status.jobStatus)) return undefined;
  const isForgotten = answer.kind === 'answered' && !isTerminalState(answer.report?.status);
  const isHeadLost = mode === JobSubmissionMode.Sidecar && heads.length === 0;
  const isTooLate = hasExpired(msToActiveDeadline(state)) || hasExpired(msToStatusCheckTimeout(state));
  return cluster === undefined || isForgotten || isHeadLost || isTooLate ? endAsRecorded(state) : undefined;
}

function endAsRecorded(state: JobState): Step {
  const hasFailed = state.status.jobStatus === RayJobState.Failed;
  return move(state, {
    jobDeploymentStatus: hasFailed ? JobDeploymentStatus.Failed : JobDeploymentStatus.Complete,
    reason: hasFailed ? JobFailedReason.AppFailed : undefined,
  });
}

/** The job may have ended just before its deadline: Ray is asked again first. State Failed stops the job once the failure is written. */
function failUnlessEndedInTime(state: JobState): Step | undefined {
  const late = failPastActiveDeadline(state);
  if (late === undefined || reportsEnd(state.answer)) return undefined;
  return state.answer.kind === 'awaited' ? stay() : late;
}

/** A deleted cluster is recreated, except in SidecarMode: its head would run the job a second time without a record. */
function recreateMissingCluster(state: JobState): Step | undefined {
  if (state.cluster !== undefined) return undefined;
  if (state.mode === JobSubmissionMode.Sidecar) return failAfterClusterLoss(state);
  return failPastClusterAbsence(state) ?? stay(createOrRequireCluster(state), msToNextTimer(state));
}

/** The usual case: applies Ray's answer, keeps the head Service up to date and requeues for the next timer. */
function followRayAndKeepService(state: JobState): Step {
  const step = firstStep([failWithoutSidecarHead, failForeignSubmitter, applyRayAnswer], state) ?? stay();
  const service = planHeadService(state);
  const serviceRetryMs = service.some(({ type }) => type !== 'event') ? HEAD_SERVICE_RETRY_MS : undefined;
  return {
    ...step,
    actions: [...service, ...step.actions],
    requeueAfterMs: soonest(step.requeueAfterMs, msToNextTimer(state), serviceRetryMs),
  };
}

function msToNextTimer(state: JobState): number | undefined {
  return soonest(
    msToActiveDeadline(state),
    msToGracePeriodEnd(state),
    msToStatusCheckTimeout(state),
    msToClusterAbsenceTimeout(state),
  );
}

/** SidecarMode: submitter and Ray end with their head pod, and the head is not recreated. */
function failWithoutSidecarHead(state: JobState): Step | undefined {
  const { heads, mode } = state;
  if (mode !== JobSubmissionMode.Sidecar || heads.length === 1) return undefined;
  if (heads.length > 1) {
    const names = heads.map(({ name }) => name).join(' ');
    return stay([{ type: 'abort', message: `found ${heads.length} head pods [${names}], and one is expected` }]);
  }
  return isHeadless(state) ? failAttempt(state, JobFailedReason.AppFailed, HEAD_NOT_FOUND) : undefined;
}

/** A submitter that ended long before the RayJob was created did not submit this job. */
function failForeignSubmitter(state: JobState): Step | undefined {
  const { status, job } = state;
  const submitter = submitterState(state);
  const created = Date.parse(job.metadata?.creationTimestamp ?? '');
  if (submitter.kind !== 'finished' && submitter.kind !== 'failed') return undefined;
  const { endedAt = state.now } = submitter;
  if (!(endedAt + FOREIGN_SUBMITTER_MS < created) || isTerminalState(status.jobStatus)) return undefined;
  const { SubmitterFinishedTimeout } = DefaultSeconds;
  return move(state, {
    jobStatus: RayJobState.Failed,
    jobDeploymentStatus: JobDeploymentStatus.Failed,
    reason: JobFailedReason.JobDeploymentStatusTransitionGracePeriodExceeded,
    message: `The RayJob submitter finished at ${plainTime(endedAt)} but the ray job did not reach terminal state within ${SubmitterFinishedTimeout}s`,
  });
}

function reportsEnd(answer: JobAnswer): boolean {
  return answer.kind === 'answered' && isTerminalState(answer.report?.status);
}
