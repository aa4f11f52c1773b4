import { describe, expect, it } from 'vitest';
import { headPod, NOW } from '../testing/observed.ts';
import {
  ago,
  check,
  cluster,
  DOES_NOT_KNOW,
  ended,
  IS_SILENT,
  initializing,
  running,
  says,
  sidecar,
  submitter,
  planJob,
  needsOfJob,
  done as finishedSubmitter,
} from './testing/observed-job.ts';

type Options = Parameters<typeof running>[0];

describe('a job that is to be suspended', () => {
  const leaving = (options: Options = {}) =>
    running({ ...options, spec: { suspend: true, shutdownAfterJobFinishes: true, ...options?.spec } });
  check({
    'waits for Ray’s first word: it may have ended while nobody looked': [leaving({ answer: { kind: 'awaited' } })],
    'is not suspended when it has succeeded unseen': [
      leaving({ answer: says('SUCCEEDED'), spec: { submissionMode: 'HTTPMode' }, submitter: undefined }),
      '→ Complete/SUCCEEDED',
    ],
    'is not suspended when it has succeeded unseen and its submitter has yet to show it': [
      leaving({ answer: says('SUCCEEDED') }),
      '→ Running/SUCCEEDED',
    ],
    'is suspended when Ray runs it': [leaving({ answer: says('RUNNING') }), '→ Suspending/RUNNING'],
    'is suspended when Ray does not know it': [leaving({ answer: DOES_NOT_KNOW }), '→ Suspending/RUNNING'],
    'is suspended when Ray does not answer': [leaving({ answer: IS_SILENT }), '→ Suspending/RUNNING'],
    'is suspended when Ray cannot be asked': [
      leaving({ answer: { kind: 'unreachable', why: 'no token' } }),
      '→ Suspending/RUNNING',
    ],
  });

  it('takes the last answer for good enough, however old', () => {
    const observed = leaving({ submission: { state: 'done', at: NOW } });
    expect(needsOfJob(observed).question).toEqual({ jobId: 'job-id', newerThan: undefined });
  });

  it('takes no answer from before its submitter ended', () => {
    const memory = { submitterEnd: { endedAt: NOW - 1000, seenAt: NOW } };
    const observed = leaving({ submitter: finishedSubmitter(), memory });
    expect(needsOfJob(observed).question).toEqual({ jobId: 'job-id', newerThan: NOW });
  });

  it('is not asked about when its user has only just said which it is', () => {
    const named = { spec: { submissionMode: 'InteractiveMode' }, status: { jobStatus: undefined as never } } as const;
    expect(needsOfJob(leaving(named)).question).toBeUndefined();
    expect(needsOfJob(leaving({ spec: named.spec })).question).toBeDefined();
  });
});

describe('a job that is submitted from within its head, while its cluster comes up', () => {
  const coming = (options: Options = {}) =>
    initializing({
      cluster: cluster(),
      heads: [sidecar()],
      ...options,
      spec: { submissionMode: 'SidecarMode', ...options?.spec },
    });
  const done = { heads: [sidecar(0)] };
  const suspended = { suspend: true, shutdownAfterJobFinishes: true };
  check({
    'is Ray’s to judge when its submitter is done, whatever the deadline says': [
      coming({ ...done, spec: { activeDeadlineSeconds: 60 } }),
      '→ Running/-',
    ],
    'is Ray’s to judge when its submitter is done, however long that took': [
      coming({ ...done, spec: { preRunningDeadlineSeconds: 60 } }),
      '→ Running/-',
    ],
    'is Ray’s to judge when its submitter is done and it is to be suspended': [
      coming({ ...done, spec: suspended }),
      '→ Running/-',
    ],
    'is followed at its deadline when its head is up, so that Ray is asked and told to stop it': [
      coming({ spec: { activeDeadlineSeconds: 60 } }),
      '→ Running/-',
    ],
    'fails at its deadline when its head is not up': [
      coming({ heads: [headPod({ phase: 'Pending' })], spec: { activeDeadlineSeconds: 60 } }),
      '→ Failed/- DeadlineExceeded',
    ],
    'fails at its deadline when nobody knows where its head answers': [
      coming({ ...done, address: { isFound: false, why: 'no Service' }, spec: { activeDeadlineSeconds: 60 } }),
      '→ Failed/- DeadlineExceeded',
    ],
    'fails when its cluster takes too long, though its head is up': [
      coming({ spec: { preRunningDeadlineSeconds: 60 } }),
      '→ Failed/- PreRunningDeadlineExceeded',
    ],
    'is suspended while its submitter works': [coming({ spec: suspended }), '→ Suspending/-'],
  });
});

describe('a job whose submitter came of a request that got no answer', () => {
  const unwritten = (options: Options = {}) => initializing({ submitter: submitter(), ...options });
  check({
    'is handed over at its deadline, so that Ray is asked what became of it': [
      unwritten({ spec: { activeDeadlineSeconds: 60 } }),
      '→ Running/-',
    ],
    'is handed over when it seems to have taken too long to begin': [
      unwritten({ spec: { preRunningDeadlineSeconds: 60 } }),
      '→ Running/-',
    ],
    'fails at its deadline where nobody knows its head': [
      unwritten({ spec: { activeDeadlineSeconds: 60 }, address: { isFound: false, why: 'no head' } }),
      '→ Failed/- DeadlineExceeded',
    ],
  });
});

describe('a job whose cluster took too long', () => {
  const late = (options: Options = {}) =>
    ended({
      ...options,
      status: {
        jobDeploymentStatus: 'Failed',
        jobStatus: undefined as never,
        dashboardURL: undefined as never,
        reason: 'PreRunningDeadlineExceeded',
        ...options?.status,
      },
    });
  const inHead = { spec: { submissionMode: 'SidecarMode' } } as const;
  const attempt = { number: 1, rayClusterName: 'job-x', submissionId: 'job-id', startTime: ago(400) };
  const nowhere = {
    address: { isFound: false, why: 'no head' },
    status: { endTime: ago(301), attempts: [attempt] },
  } as const;
  check({
    'is stopped where it was submitted from within its head': [
      late({ ...inHead, heads: [sidecar()] }),
      'ask job-x to stop',
    ],
    'needs no stopping when that head never came up': [late({ ...inHead, heads: [headPod({ phase: 'Pending' })] })],
    'is stopped where a submitter came of a request that got no answer': [late(), 'ask job-x to stop'],
    'needs no stopping where nobody was there to submit it': [late({ submitter: undefined })],
    'needs no stopping where it was to be submitted over HTTP': [late({ spec: { submissionMode: 'HTTPMode' } })],
    'loses its submitter when nobody knows for long where that would submit it': [late(nowhere), 'delete Job job'],
    'is not stopped under an id that its user never gave': [
      late({
        spec: { submissionMode: 'InteractiveMode' },
        status: { jobId: undefined as never, dashboardURL: 'job-x-head-svc:8265' },
      }),
    ],
  });

  it('is looked at no more when nothing is left to be done', () => {
    const gone = submitter({ isTerminating: true });
    expect(planJob(late({ ...nowhere, submitter: gone }))).toEqual({ actions: [], memory: expect.anything() });
    const within = { ...nowhere, ...inHead, heads: [sidecar()] };
    expect(planJob(late(within))).toEqual({ actions: [], memory: expect.anything() });
  });
});

describe('a job that runs without its cluster', () => {
  const selecting = { rayClusterSpec: undefined, clusterSelector: { 'ray.io/cluster': 'job-x' } } as object;
  const without = (seconds: number, options: Options = {}) =>
    running({ cluster: undefined, memory: { clusterMissingSince: NOW - seconds * 1000 }, ...options });
  check({
    'gets it back, where it is its own': [without(0), 'create RayCluster job-x'],
    'does not get one that would run it once more by itself': [without(1, { spec: { submissionMode: 'SidecarMode' } })],
    'has failed when that one stays away': [
      without(5, { spec: { submissionMode: 'SidecarMode' } }),
      '→ Failed/RUNNING AppFailed',
    ],
    'is tried again when that one stays away, where it may be': [
      without(5, { spec: { submissionMode: 'SidecarMode', backoffLimit: 1 } }),
      '→ Retrying/RUNNING AppFailed',
    ],
    'is lost when it does not come back': [
      without(300, { spec: { ...selecting, backoffLimit: 0 } }),
      '→ Failed/RUNNING JobStatusCheckTimeoutExceeded',
    ],
    'keeps an end that Ray has told': [
      without(300, { spec: selecting, status: { jobStatus: 'SUCCEEDED' } }),
      '→ Complete/SUCCEEDED',
    ],
    'has as long as the installation says': [
      without(20, { env: { RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS: '20' } }),
      '→ Failed/RUNNING JobStatusCheckTimeoutExceeded',
    ],
  });

  it('is looked at again when that time is over, and told what is missing', () => {
    expect(planJob(without(290, { spec: selecting })).requeueAfterMs).toBe(10_000);
    const attempt = { number: 1, rayClusterName: 'job-x', submissionId: 'job-id', startTime: ago(600) };
    const { status } = planJob(without(300, { spec: selecting, status: { attempts: [attempt] } }));
    expect(status?.message).toBe(
      'RayCluster default/job-x, which the job ran on, has been missing since 2026-08-01 11:55:00; exceeded timeout of 300s',
    );
    expect(status?.attempts?.[0]).toMatchObject({ outcome: 'Lost' });
  });
});
