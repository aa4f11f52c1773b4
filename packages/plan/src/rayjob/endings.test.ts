import { describe, expect, it } from 'vitest';
import {
  ago,
  check,
  cluster,
  DOES_NOT_KNOW,
  done,
  gaveUp,
  IS_SILENT,
  running,
  says,
  sidecar,
  planJob,
} from './testing/observed-job.ts';

describe('the end of a submitter', () => {
  check({
    'does not end a job that Ray runs': [running({ answer: says('RUNNING'), submitter: done(3000) })],
    'does not end a job that Ray runs, even when it failed for good': [
      running({ answer: says('RUNNING'), submitter: gaveUp() }),
    ],
    'does not hide a success': [running({ answer: says('SUCCEEDED'), submitter: gaveUp() }), '→ Complete/SUCCEEDED'],
    'is waited for by Ray’s next word': [running({ answer: { kind: 'awaited' }, submitter: gaveUp() })],
    'is a failed submission when Ray knows no job': [
      running({ answer: DOES_NOT_KNOW, submitter: gaveUp() }),
      '→ Failed/RUNNING SubmissionFailed',
    ],
    'is a failure of the job when that is what Ray last said': [
      running({ answer: DOES_NOT_KNOW, submitter: gaveUp(), status: { jobStatus: 'FAILED' } }),
      '→ Failed/FAILED AppFailed',
    ],
    'without a job is a failure': [running({ answer: DOES_NOT_KNOW, submitter: done() }), '→ Failed/RUNNING AppFailed'],
    'long before there was such a RayJob is the end of another one': [
      running({ answer: says('RUNNING'), submitter: done(100_000), metadata: { creationTimestamp: ago(90) } }),
      '→ Failed/FAILED JobDeploymentStatusTransitionGracePeriodExceeded',
    ],
    'long before the attempt began, by a clock that was set forward since, is the end of this one': [
      running({ answer: says('RUNNING'), submitter: done(100_000), metadata: { creationTimestamp: ago(100_090) } }),
    ],
    'in the future, by another clock, is an end when Ray tells of the same': [
      running({ answer: says('SUCCEEDED'), submitter: done(-3600) }),
      '→ Complete/SUCCEEDED',
    ],
    'in the future, by another clock, without a job in Ray, is what it would be by ours': [
      running({ answer: DOES_NOT_KNOW, submitter: gaveUp(-3600) }),
      '→ Failed/RUNNING SubmissionFailed',
    ],
    'by somebody’s hand brings another one when Ray has no job': [
      running({ answer: DOES_NOT_KNOW, submitter: undefined }),
      'create Job job',
    ],
    'by somebody’s hand changes nothing when Ray has the job': [
      running({ answer: says('RUNNING'), submitter: undefined }),
    ],
    'by somebody’s hand is no reason to wait when Ray is done': [
      running({ answer: says('SUCCEEDED'), submitter: undefined }),
      '→ Complete/SUCCEEDED',
    ],
  });
});

describe('a submitter in the head pod', () => {
  const inHead = (options: Parameters<typeof running>[0] = {}) =>
    running({ submitter: undefined, ...options, spec: { submissionMode: 'SidecarMode' } });
  check({
    'is waited for': [inHead({ answer: says('SUCCEEDED'), heads: [sidecar()] }), '→ Running/SUCCEEDED'],
    'that is done completes the job': [
      inHead({ answer: says('SUCCEEDED'), heads: [sidecar(0)] }),
      '→ Complete/SUCCEEDED',
    ],
    'that failed does not fail a job that runs': [inHead({ answer: says('RUNNING'), heads: [sidecar(1)] })],
    'that failed before it submitted is a failed submission': [
      inHead({ answer: DOES_NOT_KNOW, heads: [sidecar(1)] }),
      '→ Failed/RUNNING SubmissionFailed',
    ],
    'whose head has ended with it has the last word': [
      inHead({ answer: IS_SILENT, heads: [{ ...sidecar(1), phase: 'Failed' }] }),
      '→ Failed/RUNNING SubmissionFailed',
    ],
    'goes with its head': [inHead({ heads: [] }), '→ Failed/RUNNING AppFailed'],
    'does not go with a head that its cluster has and we do not see yet': [
      inHead({
        answer: says('RUNNING'),
        heads: [],
        cluster: cluster('ready', { status: { state: 'ready', head: { podName: 'job-x-head-abcde' } } }),
      }),
      '→ Running/RUNNING',
    ],
    'cannot be in two heads': [
      inHead({ heads: [sidecar(), sidecar()] }),
      'fail: found 2 head pods [demo-head-abcde demo-head-abcde], and one is expected',
    ],
    'may be restarted twice where that is allowed': [
      inHead({ answer: DOES_NOT_KNOW, heads: [sidecar(undefined, 1)], gates: { SidecarSubmitterRestart: true } }),
    ],
    'that failed and is about to be started again is still at work': [
      inHead({ answer: DOES_NOT_KNOW, heads: [sidecar(1, 0)], gates: { SidecarSubmitterRestart: true } }),
    ],
    'is given up after that': [
      inHead({ answer: DOES_NOT_KNOW, heads: [sidecar(1, 2)], gates: { SidecarSubmitterRestart: true } }),
      '→ Failed/RUNNING SubmissionFailed',
    ],
    'that got through at last counts': [
      inHead({ answer: says('SUCCEEDED'), heads: [sidecar(0, 3)], gates: { SidecarSubmitterRestart: true } }),
      '→ Complete/SUCCEEDED',
    ],
  });
});

describe('a deadline', () => {
  const late = (options: Parameters<typeof running>[0] = {}) =>
    running({ ...options, spec: { activeDeadlineSeconds: 60, ...options.spec } });
  check({
    'is written down before the job is stopped in Ray': [
      late({ answer: says('RUNNING') }),
      '→ Failed/RUNNING DeadlineExceeded',
    ],
    'does not count before Ray was asked once more': [late({ answer: { kind: 'awaited' } })],
    'makes nothing for a job that is about to be cut off': [
      late({ answer: { kind: 'awaited' }, headService: undefined }),
    ],
    'does not hide a success that nobody had seen': [
      late({ answer: says('SUCCEEDED'), submitter: done() }),
      '→ Complete/SUCCEEDED',
    ],
    'does not hide a success that the submitter has yet to show': [
      late({ answer: says('SUCCEEDED') }),
      '→ Running/SUCCEEDED',
    ],
    'counts when Ray does not answer': [late({ answer: IS_SILENT }), '→ Failed/RUNNING DeadlineExceeded'],
    'is final, however often the job may be tried': [
      late({ answer: says('RUNNING'), spec: { backoffLimit: 3 } }),
      '→ Failed/RUNNING DeadlineExceeded',
    ],
  });
});

describe('the time after Ray is done', () => {
  const over = (secondsAgo: number, jobStatus: 'SUCCEEDED' | 'FAILED') =>
    running({ answer: says(jobStatus), status: { jobStatus, rayJobInfo: { endTime: ago(secondsAgo) } } });
  check({
    'is for the submitter to end': [over(299, 'SUCCEEDED')],
    'is over at last': [
      over(300, 'SUCCEEDED'),
      '→ Complete/SUCCEEDED JobDeploymentStatusTransitionGracePeriodExceeded',
    ],
    'is over for a failure as well': [
      over(300, 'FAILED'),
      '→ Failed/FAILED JobDeploymentStatusTransitionGracePeriodExceeded',
    ],
  });
});

describe('what Ray has told of the end of a job', () => {
  const over = (options: Parameters<typeof running>[0] = {}, jobStatus: 'SUCCEEDED' | 'FAILED' = 'SUCCEEDED') =>
    running({ answer: says(jobStatus), ...options, status: { jobStatus, ...options.status } });
  check({
    'stands when the cluster is gone': [over({ cluster: undefined }), '→ Complete/SUCCEEDED'],
    'stands when a new head does not know the job': [over({ answer: DOES_NOT_KNOW }), '→ Complete/SUCCEEDED'],
    'stands when a new head runs the job once more': [over({ answer: says('RUNNING') }), '→ Complete/SUCCEEDED'],
    'stands at the deadline': [over({ spec: { activeDeadlineSeconds: 60 } }), '→ Complete/SUCCEEDED'],
    'stands when the head has gone': [
      over({ spec: { submissionMode: 'SidecarMode' }, heads: [] }),
      '→ Complete/SUCCEEDED',
    ],
    'stands when the head is silent for too long': [
      over({ answer: IS_SILENT, status: { jobStatusCheckFailureStartTime: ago(300) } }),
      '→ Complete/SUCCEEDED',
    ],
    'stands when the head answers beside the point afterwards': [
      over({ answer: { ...IS_SILENT, isMalformed: true } as never }),
      '→ Running/SUCCEEDED',
    ],
    'stands when the job is to be suspended: what succeeded does not run twice': [
      over({ spec: { suspend: true, shutdownAfterJobFinishes: true } }),
      '→ Complete/SUCCEEDED',
    ],
    'stands for a failure as well': [over({ cluster: undefined }, 'FAILED'), '→ Failed/FAILED AppFailed'],
    'stands for a failure that is to be suspended as well': [
      over({ spec: { suspend: true, shutdownAfterJobFinishes: true } }, 'FAILED'),
      '→ Failed/FAILED AppFailed',
    ],
  });
});

describe('a head that does not answer', () => {
  const since = (seconds: number, options: Parameters<typeof running>[0] = {}) =>
    running({
      answer: IS_SILENT,
      ...options,
      status: { jobStatusCheckFailureStartTime: ago(seconds), ...options.status },
    });
  check({
    'is noted': [running({ answer: IS_SILENT }), '→ Running/RUNNING'],
    'is noted once': [since(1)],
    'is given up in the end, and the job counts as lost, not as tried': [
      since(300, { spec: { backoffLimit: 3 } }),
      '→ Failed/RUNNING JobStatusCheckTimeoutExceeded',
    ],
    'has as long as the installation says': [
      since(20, { env: { RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS: '20' } }),
      '→ Failed/RUNNING JobStatusCheckTimeoutExceeded',
    ],
    'is not given up at once by a setting that makes no sense': [
      since(20, { env: { RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS: '-1' } }),
    ],
    'is not given up before it was asked again, however long we were away': [
      since(3000, { answer: { kind: 'awaited' } }),
    ],
    'is not given up when it answers at last': [since(3000, { answer: says('RUNNING') }), '→ Running/RUNNING'],
    'is forgiven when it answers that it has no job yet': [since(10, { answer: DOES_NOT_KNOW }), '→ Running/RUNNING'],
    'is forgiven for that however long we were away: only a submitter knows whether it could submit': [
      since(3000, { answer: DOES_NOT_KNOW }),
      '→ Running/RUNNING',
    ],
    'is forgiven for that also when we could not submit the job ourselves: that is up to its submitter': [
      since(3000, { answer: DOES_NOT_KNOW, spec: { entrypointResources: '{"a": "many"}' } }),
      '→ Running/RUNNING',
    ],
    'that answers beside the point is noted, and its last word is no longer shown': [
      running({ answer: { ...IS_SILENT, isMalformed: true } as never }),
      '→ Running/-',
    ],
    'leaves a submission failed when its submitter gave up and Ray never told of the job': [
      since(300, { submitter: gaveUp(), status: { jobStatus: undefined as never } }),
      '→ Failed/- SubmissionFailed',
    ],
  });

  it('is looked at again when its time is over', () => {
    expect(planJob(since(290)).requeueAfterMs).toBe(10_000);
  });

  it('tells since when', () => {
    expect(planJob(since(300)).status?.message).toBe(
      'Job status checks have been failing since 2026-08-01 11:55:00; exceeded timeout of 300s',
    );
  });
});

describe('a failed attempt', () => {
  const failing = (options: Parameters<typeof running>[0] = {}) =>
    running({ answer: says('FAILED'), submitter: done(), ...options });
  check({
    'is tried again while there are tries': [
      failing({ spec: { backoffLimit: 2 }, status: { failed: 1 } }),
      '→ Retrying/FAILED AppFailed',
    ],
    'is the last one in the end': [
      failing({ spec: { backoffLimit: 2 }, status: { failed: 2 } }),
      '→ Failed/FAILED AppFailed',
    ],
  });

  it('is counted', () => {
    expect(planJob(failing({ status: { failed: 4 } })).status?.failed).toBe(5);
  });
});
