import { JobDeploymentStatus, JobFailedReason, JobSubmissionMode, RayJobState, type RayJobStatus } from '@manta/api';
import { timestamp } from '../shared/timestamp.ts';
import { withLoss } from './attempts.ts';
import { headRestarts } from './head-session.ts';
import { mirrored } from './mirror.ts';
import type { JobReport } from './observed.ts';
import { isTerminalState } from './pairs.ts';
import { clearFailure, noteFailure } from './status-check.ts';
import { fail, move, type Step, stay } from './step.ts';
import type { Subject } from './subject.ts';
import { submit } from './submit.ts';
import { planSubmitterJob, type Submitter } from './submitter.ts';

/** Whether Ray has told how the job ended, and nobody else has to be waited for. */
export function isBeyondDoubt(subject: Subject, submitter: Submitter): boolean {
  const { answer, cluster } = subject;
  if (answer.kind !== 'answered' || answer.report === undefined || cluster === undefined) return false;
  return isTerminalState(answer.report.status) && submitter.kind !== 'working';
}

/** What Ray's last answer makes of the job. The end of a submitter says nothing about the end of a job. */
export function judge(subject: Subject, submitter: Submitter): Step {
  const { answer } = subject;
  switch (answer.kind) {
    case 'unasked':
    case 'awaited':
      return stay();
    case 'unreachable':
      return stay([{ type: 'abort', message: answer.why }]);
    case 'failing':
      return silent(subject, submitter);
    case 'answered':
      return answer.report === undefined
        ? unknownToRay(subject, submitter)
        : reported(subject, submitter, answer.report);
  }
}

/** An answer beside the point says that the head does not know any more what it said before. */
function silent(subject: Subject, submitter: Submitter): Step {
  const { answer, status, heads } = subject;
  // A head that has ended for good will never answer: then the submitter's word is the last one.
  const isHeadOver = heads.length > 0 && heads.every(({ phase }) => phase === 'Failed' || phase === 'Succeeded');
  if (submitter.kind === 'failed' && isHeadOver) return submissionFailed(subject, submitter.message);
  const hasMoreToTell = status.jobStatus !== undefined && !isTerminalState(status.jobStatus);
  const isForgotten = answer.kind === 'failing' && answer.isBesideThePoint && hasMoreToTell;
  return noteFailure(subject, isForgotten ? { jobStatus: RayJobState.New } : {});
}

function unknownToRay(subject: Subject, submitter: Submitter): Step {
  const { mode, status } = subject;
  if (mode === JobSubmissionMode.HTTP) return submit(subject);
  switch (submitter.kind) {
    case 'failed':
      return submissionFailed(subject, submitter.message);
    case 'finished':
      return fail(subject, JobFailedReason.AppFailed, 'Submitter completed but Ray job not found in RayCluster.');
    case 'missing':
      return { ...clearFailure(subject), actions: planSubmitterJob(subject, status.dashboardURL ?? '') };
    case 'none':
    case 'working':
      return clearFailure(subject);
  }
}

function submissionFailed(subject: Subject, message: string): Step {
  return subject.status.jobStatus === RayJobState.Failed
    ? fail(subject, JobFailedReason.AppFailed, undefined)
    : fail(subject, JobFailedReason.SubmissionFailed, message);
}

function reported(subject: Subject, submitter: Submitter, report: JobReport): Step {
  const isOver = isTerminalState(report.status) && submitter.kind !== 'working';
  const hasFailed = isOver && report.status === RayJobState.Failed;
  return move(subject, {
    jobStatus: stateOf(report),
    jobDeploymentStatus: hasFailed
      ? JobDeploymentStatus.Failed
      : isOver
        ? JobDeploymentStatus.Complete
        : JobDeploymentStatus.Running,
    reason: hasFailed ? JobFailedReason.AppFailed : undefined,
    message: report.message,
    ...rerun(subject, report),
    rayJobInfo: timesOf(subject.status, report),
    rayClusterStatus: mirrored(subject),
    jobStatusCheckFailureStartTime: undefined,
  });
}

/** Ray's clock may be corrected a little while a job runs. */
const SAME_RUN_MS = 2000;

/** A job that started anew under its old id runs a second time, whoever submitted it: that is told, never passed over. */
function rerun(subject: Subject, { startTime }: JobReport): Pick<RayJobStatus, 'attempts'> {
  const { status, now } = subject;
  const before = Date.parse(status.rayJobInfo?.startTime ?? '');
  if (!(startTime > before + SAME_RUN_MS)) return {};
  const attempts = withLoss(status, now, headRestarts(subject));
  return attempts === undefined ? {} : { attempts };
}

/** Whatever Ray says is shown; a word that only a newer Ray knows too. */
function stateOf({ status }: JobReport): RayJobState {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion
  return status as RayJobState;
}

function timesOf({ rayJobInfo = {} }: RayJobStatus, { startTime, endTime }: JobReport): RayJobStatus['rayJobInfo'] {
  return {
    ...rayJobInfo,
    ...(startTime > 0 ? { startTime: timestamp(startTime) } : {}),
    ...(endTime > 0 ? { endTime: timestamp(endTime) } : {}),
  };
}
