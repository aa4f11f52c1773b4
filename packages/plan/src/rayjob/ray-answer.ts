import {
  JobDeploymentStatus,
  JobFailedReason,
  JobSubmissionMode,
  RayJobState,
  type RayJobStatus,
  timestamp,
} from '@manta/api';
import { pipFailure } from '../shared/pip-failure.ts';
import { replaceLostAttempt } from './attempts.ts';
import { copyClusterStatus } from './cluster-status-copy.ts';
import { headRestarts } from './head.ts';
import type { JobReport } from './observed.ts';
import type { JobState } from './state.ts';
import { clearCheckFailure, recordCheckFailure } from './status-check.ts';
import { isTerminalState } from './status-pairs.ts';
import { failAttempt, move, type Step, stay } from './step.ts';
import { submitOverHttp } from './submission.ts';
import { createSubmitterJob, submitterState } from './submitter.ts';
import { START_TIME_TOLERANCE_MS } from './timers.ts';
import { reportedSubmitterTrouble, submitterTrouble } from './trouble.ts';

/** Moves the job according to Ray's last answer. The end of a submitter says nothing about the end of its job. */
export function applyRayAnswer(state: JobState): Step {
  const { answer } = state;
  switch (answer.kind) {
    case 'unasked':
    case 'awaited':
      return stay();
    case 'unreachable':
      return stay([{ type: 'abort', message: answer.why }]);
    case 'failing':
      return applyFailedCheck(state, answer.isMalformed);
    case 'answered':
      return answer.report === undefined ? applyUnknownJob(state) : applyReport(state, answer.report);
  }
}

/** The status check failed. A malformed response means that the head lost the job's state. */
function applyFailedCheck(state: JobState, isMalformed: boolean): Step {
  const { status, heads } = state;
  const submitter = submitterState(state);
  // A head pod that has ended will never answer, so the submitter's failure is final.
  const hasHeadEnded = heads.length > 0 && heads.every(({ phase }) => phase === 'Failed' || phase === 'Succeeded');
  if (submitter.kind === 'failed' && hasHeadEnded) return failSubmission(state, submitter.message);
  const isActive = status.jobStatus !== undefined && !isTerminalState(status.jobStatus);
  return recordCheckFailure(state, isMalformed && isActive ? { jobStatus: RayJobState.New } : {});
}

/** Ray answered that it does not know the job: the job is submitted, or its submitter's end decides. */
function applyUnknownJob(state: JobState): Step {
  if (state.mode === JobSubmissionMode.HTTP) return submitOverHttp(state);
  const submitter = submitterState(state);
  switch (submitter.kind) {
    case 'failed':
      return failSubmission(state, submitter.message);
    case 'finished':
      return failAttempt(state, JobFailedReason.AppFailed, 'Submitter completed but Ray job not found in RayCluster.');
    case 'missing':
      return { ...clearCheckFailure(state), actions: createSubmitterJob(state, state.status.dashboardURL ?? '') };
    case 'none':
      return clearCheckFailure(state);
    case 'working':
      return reportSubmitterTrouble(state);
  }
}

/** The submitter's trouble is the job's: nothing else happens until its pod starts. */
function reportSubmitterTrouble(state: JobState): Step {
  const trouble = submitterTrouble(state);
  const reported = reportedSubmitterTrouble(state.status);
  if (trouble === reported) return clearCheckFailure(state);
  return move(state, { jobStatusCheckFailureStartTime: undefined, message: trouble });
}

function failSubmission(state: JobState, message: string): Step {
  return state.status.jobStatus === RayJobState.Failed
    ? failAttempt(state, JobFailedReason.AppFailed, undefined)
    : failAttempt(state, JobFailedReason.SubmissionFailed, message);
}

/** Copies Ray's report into the status. The job ends when Ray reports its end and no submitter is working. */
function applyReport(state: JobState, report: JobReport): Step {
  const isOver = isTerminalState(report.status) && submitterState(state).kind !== 'working';
  const hasFailed = isOver && report.status === RayJobState.Failed;
  return move(state, {
    jobStatus: reportedState(report),
    jobDeploymentStatus: hasFailed
      ? JobDeploymentStatus.Failed
      : isOver
        ? JobDeploymentStatus.Complete
        : JobDeploymentStatus.Running,
    reason: hasFailed ? JobFailedReason.AppFailed : undefined,
    message: explainedMessage(report),
    ...attemptsAfterRestart(state, report),
    rayJobInfo: reportedTimes(state.status, report),
    rayClusterStatus: copyClusterStatus(state),
    jobStatusCheckFailureStartTime: undefined,
  });
}

/** Ray's message. If pip could not install a package, a sentence about it comes before Ray's traceback. */
function explainedMessage({ status, message }: JobReport): string {
  const failure = status === RayJobState.Failed ? pipFailure(message) : undefined;
  return failure === undefined ? message : `${failure}\n${message}`;
}

/** A later start time under the same id means that the job runs a second time, whoever submitted it. The status lists that attempt. */
function attemptsAfterRestart(state: JobState, { startTime }: JobReport): Pick<RayJobStatus, 'attempts'> {
  const { status, now } = state;
  const before = Date.parse(status.rayJobInfo?.startTime ?? '');
  if (!(startTime > before + START_TIME_TOLERANCE_MS)) return {};
  const attempts = replaceLostAttempt(status, now, headRestarts(state));
  return attempts === undefined ? {} : { attempts };
}

/** The status shows any value that Ray reports, including those of a newer Ray. */
function reportedState({ status }: JobReport): RayJobState {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion
  return status as RayJobState;
}

function reportedTimes({ rayJobInfo = {} }: RayJobStatus, report: JobReport): RayJobStatus['rayJobInfo'] {
  const { startTime, endTime } = report;
  return {
    ...rayJobInfo,
    ...(startTime > 0 ? { startTime: timestamp(startTime) } : {}),
    ...(endTime > 0 ? { endTime: timestamp(endTime) } : {}),
  };
}
