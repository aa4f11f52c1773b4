import { describe, expect, it } from 'vitest';
import { NOW } from '../testing/observed.ts';
import {
  ago,
  check,
  cluster,
  done,
  ended,
  FINALIZER,
  observedJob,
  running,
  STARTED,
  sidecar,
  submitter,
  planJob,
} from './testing/observed-job.ts';

const NO_TOKEN = { kind: 'unreachable', why: 'no token' } as const;

describe('a job that is taken down', () => {
  const leaving = (options: Parameters<typeof running>[0] = {}, stage: 'Suspending' | 'Retrying' = 'Suspending') =>
    running({ ...options, status: { jobDeploymentStatus: stage, reason: 'AppFailed', ...options.status } });
  const gone = { cluster: undefined, submitter: undefined };
  check({
    'loses its cluster and its submitter': [leaving(), 'delete RayCluster job-x', 'delete Job job'],
    'waits for what is going': [
      leaving({
        cluster: cluster('ready', { metadata: { ...cluster().metadata, deletionTimestamp: ago(1) } }),
        submitter: submitter({ isTerminating: true }),
      }),
    ],
    'is suspended when both are gone': [leaving(gone), '→ Suspended/-'],
    'begins anew when both are gone': [leaving(gone, 'Retrying'), '→ New/-'],
    'touches no cluster that is not its own': [
      leaving({ cluster: cluster('ready', { metadata: { name: 'job-x', uid: 'another' } }), submitter: undefined }),
      '→ Suspended/-',
    ],
    'waits for the pods of its cluster where its user wants that': [
      leaving({ ...gone, podCount: 1, metadata: { annotations: { 'ray.io/wait-for-old-pods': 'true' } } }),
    ],
    'does not wait for pods otherwise': [leaving({ ...gone, podCount: 1 }), '→ Suspended/-'],
    'is taken down to the end, whatever its spec says meanwhile': [
      leaving({ spec: { suspend: false } }),
      'delete RayCluster job-x',
      'delete Job job',
    ],
  });

  it('keeps its counters, and nothing of the attempt', () => {
    const { status } = planJob(leaving({ ...gone, status: { failed: 2 } }, 'Retrying'));
    expect(status).toMatchObject({ failed: 2, startTime: STARTED.startTime, rayJobInfo: {} });
    for (const field of ['jobId', 'rayClusterName', 'dashboardURL', 'reason', 'jobStatus'])
      expect(status).not.toHaveProperty(field);
  });
});

describe('a suspended job', () => {
  const suspended = (suspend: boolean) =>
    observedJob({ spec: { suspend, shutdownAfterJobFinishes: true }, status: { jobDeploymentStatus: 'Suspended' } });
  check({
    rests: [suspended(true)],
    'begins anew when it is resumed': [suspended(false), '→ New/-'],
  });
});

describe('a job whose spec was refused', () => {
  const refused = (options: Parameters<typeof running>[0] = {}) =>
    running({
      ...options,
      status: { jobDeploymentStatus: 'ValidationFailed', reason: 'ValidationFailed', message: 'x', ...options.status },
    });
  const rested = { memory: { specValidSince: NOW - 15_000 } };
  const attempt = { number: 1, rayClusterName: 'job-x', submissionId: 'job-id', startTime: ago(60) };
  const over = (outcome: 'Failed' | 'Lost' | 'Suspended') => ({ ...attempt, endTime: ago(20), outcome });
  check({
    'is told so once': [
      observedJob({
        spec: { backoffLimit: -1 },
        status: {
          jobDeploymentStatus: 'ValidationFailed',
          message: 'The RayJob spec is invalid: backoffLimit must be a positive integer',
        },
      }),
    ],
    'is told what else is wrong when the first is mended': [
      refused({ spec: { backoffLimit: -1 } }),
      'Warning InvalidRayJobSpec: default/job: The RayJob spec is invalid: backoffLimit must be a positive integer',
      '→ ValidationFailed/RUNNING ValidationFailed',
    ],
    'is left in peace a moment after its repair': [refused({ memory: { specValidSince: NOW - 14_000 } })],
    'goes on where it was': [refused(rested), '→ Running/RUNNING'],
    'goes on with its cluster': [
      refused({ ...rested, status: { dashboardURL: undefined as never, jobStatus: undefined as never } }),
      '→ Initializing/-',
    ],
    'is tried again when that was next': [
      refused({ ...rested, status: { jobStatus: 'FAILED', failed: 1, attempts: [over('Failed')] } }),
      '→ Retrying/FAILED',
    ],
    'is tried again when its cluster was lost': [
      refused({ ...rested, status: { failed: 1, attempts: [over('Lost')] } }),
      '→ Retrying/RUNNING',
    ],
    'is suspended when that was next': [
      refused({ ...rested, status: { attempts: [over('Suspended')] } }),
      '→ Suspending/RUNNING',
    ],
    'goes on with the attempt that has not ended': [
      refused({ ...rested, status: { failed: 1, attempts: [over('Failed'), { ...attempt, number: 2 }] } }),
      '→ Running/RUNNING',
    ],
    'begins when it never did': [
      observedJob({ ...rested, status: { jobDeploymentStatus: 'ValidationFailed' } }),
      '→ New/-',
    ],
    'has ended when it had ended': [
      refused({ ...rested, status: { jobStatus: 'SUCCEEDED', endTime: ago(100), succeeded: 1 } }),
      '→ Complete/SUCCEEDED',
    ],
  });

  it('is not counted a second time, and ended when it ended', () => {
    const observed = refused({ ...rested, status: { jobStatus: 'SUCCEEDED', endTime: ago(100), succeeded: 1 } });
    expect(planJob(observed).status).toMatchObject({ succeeded: 1, endTime: ago(100) });
  });
});

describe('a job that is deleted', () => {
  const leaving = (options: Parameters<typeof running>[0] = {}, secondsAgo = 0) =>
    running({ ...options, metadata: { finalizers: ['other', FINALIZER], deletionTimestamp: ago(secondsAgo) } });
  check({
    'is stopped first': [leaving(), 'ask job-x to stop'],
    'goes when it is stopped': [leaving({ stopping: { state: 'done', at: NOW } }), 'patch RayJob job'],
    'goes when it cannot be stopped': [
      leaving({ stopping: { state: 'failed', at: NOW, why: 'refused' } }),
      'patch RayJob job',
    ],
    'does not wait for a silent head for ever': [
      leaving({ stopping: { state: 'running', since: NOW - 10_000 } }),
      'patch RayJob job',
    ],
    'is stopped first, though it was deleted long ago by the server’s clock': [leaving({}, 3600), 'ask job-x to stop'],
    'is waited for though it was deleted long ago by the server’s clock': [
      leaving({ stopping: { state: 'running', since: NOW - 1000 } }, 3600),
      'ask job-x to stop',
    ],
    'does not wait for a token until a clock that is far behind has caught up': [
      leaving({ answer: NO_TOKEN }, -3600),
      'patch RayJob job',
    ],
    'waits a little for a token that is missing': [leaving({ answer: NO_TOKEN }, 29)],
    'does not wait for ever for a token that is missing': [leaving({ answer: NO_TOKEN }, 30), 'patch RayJob job'],
    'needs no stopping when it has ended': [leaving({ status: { jobStatus: 'FAILED' } }), 'patch RayJob job'],
    'needs no stopping before it was submitted': [
      leaving({ status: { dashboardURL: undefined as never }, submitter: undefined }),
      'patch RayJob job',
    ],
    'is stopped where a submitter came of a request that got no answer': [
      leaving({ status: { dashboardURL: undefined as never } }),
      'ask job-x to stop',
    ],
    'needs no stopping without a cluster': [leaving({ cluster: undefined }), 'patch RayJob job'],
    'goes even when its spec is invalid': [
      leaving({ cluster: undefined, spec: { backoffLimit: -1 } }),
      'patch RayJob job',
    ],
    'without our finalizer is none of our business': [
      running({ metadata: { finalizers: ['other'], deletionTimestamp: ago(0) } }),
    ],
  });

  it('keeps the finalizers of others', () => {
    const [action] = planJob(leaving({ cluster: undefined })).actions;
    expect(action).toMatchObject({ patch: { metadata: { finalizers: ['other'], resourceVersion: '7' } } });
  });
});

describe('a job that was cut off by its deadline', () => {
  const endSeen = (secondsAgo: number) => {
    const at = NOW - secondsAgo * 1000;
    return { submitter: done(secondsAgo), memory: { submitterEnd: { endedAt: at, seenAt: at } } };
  };
  const cutOff = (options: Parameters<typeof running>[0] = {}, secondsAgo = 10) =>
    ended({
      ...options,
      status: {
        jobDeploymentStatus: 'Failed',
        jobStatus: 'RUNNING',
        reason: 'DeadlineExceeded',
        endTime: ago(secondsAgo),
        ...options.status,
      },
    });
  const failed = (seconds: number) => ({ state: 'failed', at: NOW - seconds * 1000, why: 'silent' }) as const;
  const inVain = (seconds: number) => ({ state: 'done', at: NOW - seconds * 1000, wasNotRunning: true }) as const;
  const attempt = { number: 1, rayClusterName: 'job-x', submissionId: 'job-id', startTime: ago(7200) };
  const kept = { status: { attempts: [attempt] } };
  const inHead = { spec: { submissionMode: 'SidecarMode' } } as const;
  check({
    'is stopped, also by an operator that was away': [cutOff(), 'ask job-x to stop'],
    'is stopped once': [cutOff({ stopping: { state: 'running', since: NOW } })],
    'is over when it is stopped': [cutOff({ stopping: { state: 'done', at: NOW } })],
    'is over when there was nothing to stop and nobody is left to submit it': [
      cutOff({ stopping: inVain(10), submitter: undefined, spec: { submissionMode: 'HTTPMode' } }),
    ],
    'is stopped again when there was nothing to stop yet and its submitter goes on': [
      cutOff({ stopping: inVain(10) }),
      'ask job-x to stop',
    ],
    'is stopped again when there was nothing to stop yet and the submitter in its head goes on': [
      cutOff({ stopping: inVain(10), heads: [sidecar()], spec: { submissionMode: 'SidecarMode' } }),
      'ask job-x to stop',
    ],
    'is stopped again when there was nothing to stop yet and it was on its way': [
      cutOff({
        stopping: inVain(10),
        submission: { state: 'running', since: NOW },
        submitter: undefined,
        spec: { submissionMode: 'HTTPMode' },
      }),
      'ask job-x to stop',
    ],
    'is stopped again when there was nothing to stop yet and it came afterwards': [
      cutOff({
        stopping: inVain(10),
        submission: { state: 'done', at: NOW - 5000 },
        submitter: undefined,
        spec: { submissionMode: 'HTTPMode' },
      }),
      'ask job-x to stop',
    ],
    'is stopped again when there was nothing to stop yet and its submitter has ended since': [
      cutOff({ stopping: inVain(10), ...endSeen(5) }),
      'ask job-x to stop',
    ],
    'is over when there was nothing to stop after its submitter had ended': [
      cutOff({ stopping: inVain(10), ...endSeen(15) }),
    ],
    'is not stopped again at once': [cutOff({ stopping: inVain(9) })],
    'is left alone a moment when its head did not answer': [cutOff({ stopping: failed(9) })],
    'is stopped again after that': [cutOff({ stopping: failed(10) }), 'ask job-x to stop'],
    'is not stopped for ever': [cutOff({ stopping: failed(10), ...kept, submitter: done(600) }, 301)],
    'is not stopped for ever where another operator may have ended it': [cutOff({ stopping: failed(10) }, 301)],
    'is stopped by an operator that was away for long while its submitter goes on': [
      cutOff(kept, 3600),
      'ask job-x to stop',
    ],
    'loses its submitter when that has not come to submit it for long, so that it never will': [
      cutOff({ stopping: inVain(10), ...kept }, 301),
      'delete Job job',
      'ask job-x to stop',
    ],
    'loses its submitter when its head was silent for long, which may come back': [
      cutOff({ stopping: failed(10), ...kept }, 301),
      'delete Job job',
      'ask job-x to stop',
    ],
    'loses its submitter when nobody could look its head up for long, as without a token': [
      cutOff({ answer: NO_TOKEN, ...kept }, 301),
      'delete Job job',
      'ask job-x to stop',
    ],
    'keeps its submitter before that': [cutOff({ answer: NO_TOKEN, ...kept }, 299), 'ask job-x to stop'],
    'is over without a token when its submitter is gone': [
      cutOff({ answer: NO_TOKEN, ...kept, submitter: undefined }, 330),
    ],
    'is stopped until the pods of that submitter are gone': [
      cutOff({ stopping: inVain(10), ...kept, submitter: submitter({ isTerminating: true }) }, 330),
      'ask job-x to stop',
    ],
    'is over when they are': [cutOff({ stopping: inVain(10), ...kept, submitter: undefined }, 330)],
    'is stopped however late a head comes up that carries its submitter': [
      cutOff({ stopping: failed(10), ...kept, ...inHead, heads: [sidecar()] }, 3600),
      'ask job-x to stop',
    ],
    'is not stopped for ever in a head that is gone': [
      cutOff({ stopping: failed(10), ...kept, ...inHead, heads: [] }, 301),
    ],
    'needs no stopping when its cluster goes': [cutOff({ cluster: undefined })],
    'is stopped before its cluster goes': [
      cutOff({ spec: { shutdownAfterJobFinishes: true } }),
      'ask job-x to stop',
      'delete RayCluster job-x',
    ],
    'needs no stopping when Ray has told of its end': [cutOff({ status: { jobStatus: 'FAILED' } })],
  });

  it('is stopped, and loses its cluster, also when its submitter may not be deleted', () => {
    const shutdown = { spec: { shutdownAfterJobFinishes: true, ttlSecondsAfterFinished: 300 } };
    const { actions } = planJob(cutOff({ stopping: failed(10), ...kept, ...shutdown }, 301));
    expect(actions).toMatchObject([
      { type: 'delete', kind: 'Job', propagation: 'Foreground', isOptional: true },
      { type: 'ray' },
      { type: 'delete', kind: 'RayCluster' },
    ]);
  });
});

describe('a job that has ended', () => {
  const shutdown = { shutdownAfterJobFinishes: true };
  check({
    'keeps everything unless told otherwise': [ended()],
    'loses its cluster': [ended({ spec: shutdown }), 'delete RayCluster job-x'],
    'ignores that it should be suspended': [
      ended({ spec: { ...shutdown, ttlSecondsAfterFinished: 60, suspend: true } }),
    ],
    'is deleted itself where the installation says so': [
      ended({ spec: shutdown, env: { DELETE_RAYJOB_CR_AFTER_JOB_FINISHES: 'True' } }),
      'delete RayJob job',
    ],
    'touches no cluster that it only selects': [
      ended({ spec: { ...shutdown, clusterSelector: { 'ray.io/cluster': 'job-x' } } }),
    ],
  });

  it('keeps its cluster for as long as it should', () => {
    const plan = planJob(ended({ spec: { ...shutdown, ttlSecondsAfterFinished: 60 } }));
    expect(plan).toEqual({ actions: [], requeueAfterMs: 52_000, memory: expect.anything() });
  });
});
