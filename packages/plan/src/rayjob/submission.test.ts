import { describe, expect, it } from 'vitest';
import type { HeadRecord } from '../raycluster/observed.ts';
import { headPod, NOW } from '../testing/observed.ts';
import { isSubmissionBackingOff } from './submission.ts';
import {
  ago,
  check,
  cluster,
  DOES_NOT_KNOW,
  done,
  initializing,
  inWords,
  running,
  STARTED,
  SUBMITTED,
  planJob,
  needsOfJob,
} from './testing/observed-job.ts';

type Options = Parameters<typeof running>[0];

/** A job that the operator itself submits, and that Ray does not know. */
const unsubmitted = ({ spec, status, ...options }: Options = {}) =>
  running({
    answer: DOES_NOT_KNOW,
    submitter: undefined,
    ...options,
    spec: { submissionMode: 'HTTPMode', ...spec },
    status: { jobStatus: undefined as never, ...status },
  });
const failed = (secondsAgo: number) =>
  ({ state: 'failed', at: NOW - secondsAgo * 1000, why: 'the head refused' }) as const;

const onHead = (podName: string) => cluster('ready', { status: { state: 'ready', head: { podName } } });

const FIRST = { number: 1, rayClusterName: 'job-x', submissionId: 'job-id', startTime: STARTED.startTime ?? '' };
/** Ray began anew so many times within its head pod. */
const restarted = (restarts: number) => ({
  cluster: onHead('head'),
  heads: [headPod({ name: 'head', cluster: 'job-x', head: { ...headPod().head, restarts } as HeadRecord })],
});

describe('a job that the operator submits', () => {
  check({
    'is handed over when Ray does not know it': [unsubmitted(), 'ask job-x to submit'],
    'is handed over once': [unsubmitted({ submission: { state: 'running', since: NOW } })],
    'is tried again a little after a refusal, which is noted': [unsubmitted({ submission: failed(1) }), '→ Running/-'],
    'is tried again when that little is over': [
      unsubmitted({ submission: failed(3), status: { jobStatusCheckFailureStartTime: ago(3) } }),
      'ask job-x to submit',
    ],
    'is given up when the head takes no job for long': [
      unsubmitted({ submission: failed(3), status: { jobStatusCheckFailureStartTime: ago(300) } }),
      '→ Failed/- JobStatusCheckTimeoutExceeded',
    ],
    'is given up when it cannot be put into a request for long': [
      unsubmitted({
        spec: { entrypointResources: '{"a": "many"}' },
        status: { jobStatusCheckFailureStartTime: ago(300) },
      }),
      '→ Failed/- JobStatusCheckTimeoutExceeded',
    ],
    'is not given up while it is being handed over, however long we were away': [
      unsubmitted({
        submission: { state: 'running', since: NOW },
        status: { jobStatusCheckFailureStartTime: ago(3000) },
      }),
    ],
    'is handed over once more before it is given up, however long we were away': [
      unsubmitted({ status: { jobStatusCheckFailureStartTime: ago(3000) } }),
      'ask job-x to submit',
    ],
    'is not handed over again at once when it was accepted and Ray does not know it yet': [
      unsubmitted({ submission: SUBMITTED }),
    ],
    'is handed over again when Ray does not know it a little later either': [
      unsubmitted({ submission: { state: 'done', at: NOW - 3000 } }),
      'ask job-x to submit',
    ],
    'that Ray took and does not know a little later is written down before it is submitted again': [
      unsubmitted({ submission: { state: 'done', at: NOW - 3000 }, status: { attempts: [FIRST] } }),
      '→ Running/-',
    ],
    'that was written down as forgotten is submitted again, though the old submission is still known': [
      unsubmitted({
        submission: { state: 'done', at: NOW - 3000 },
        status: { attempts: [FIRST, { ...FIRST, number: 2, startTime: ago(1) }] },
      }),
      'ask job-x to submit',
    ],
    'that may have gone to Ray before it was restarted in its pod is written down before it is submitted again': [
      unsubmitted({ ...restarted(2), status: { attempts: [{ ...FIRST, headRestarts: 1 }] } }),
      '→ Running/-',
    ],
    'is handed over to Ray that was restarted before the job was to go there': [
      unsubmitted({ ...restarted(2), status: { attempts: [{ ...FIRST, headRestarts: 2 }] } }),
      'ask job-x to submit',
    ],
    'is handed over to Ray that was restarted, where the server keeps no attempts': [
      unsubmitted(restarted(2)),
      'ask job-x to submit',
    ],
    'is handed over at once when the clock was set back since it was refused': [
      unsubmitted({ submission: failed(-3600), status: { jobStatusCheckFailureStartTime: ago(3) } }),
      'ask job-x to submit',
    ],
    'is forgiven its failures when it is submitted': [
      unsubmitted({ submission: SUBMITTED, status: { jobStatusCheckFailureStartTime: ago(3) } }),
      '→ Running/-',
    ],
    'that Ray has forgotten is written down before it is submitted again': [
      unsubmitted({ status: { jobStatus: 'RUNNING' } }),
      'patch RayJob job',
      '→ Running/-',
    ],
    'that Ray has begun and forgotten is written down even when its last word is no longer shown': [
      unsubmitted({ status: { rayJobInfo: { startTime: ago(50) } } }),
      'patch RayJob job',
      '→ Running/-',
    ],
    'that may have gone to a head that is gone is written down before it is submitted to the next': [
      unsubmitted({ cluster: onHead('new'), status: { rayClusterStatus: { head: { podName: 'old' } } } }),
      'patch RayJob job',
      '→ Running/-',
    ],
    'waits until the cluster says which head it has now': [
      unsubmitted({
        cluster: cluster('ready', { status: { state: 'ready', head: {} } }),
        status: { rayClusterStatus: { head: { podName: 'old' } } },
      }),
    ],
    'waits for its cluster to say so when there is another head already': [
      unsubmitted({
        cluster: onHead('old'),
        heads: [headPod({ name: 'new', cluster: 'job-x' })],
        status: { rayClusterStatus: { head: { podName: 'old' } } },
      }),
    ],
    'is handed over to the head that it was to go to': [
      unsubmitted({
        cluster: onHead('same'),
        heads: [headPod({ name: 'same', cluster: 'job-x' })],
        status: { rayClusterStatus: { head: { podName: 'same' } } },
      }),
      'ask job-x to submit',
    ],
    'that cannot be put into a request is not sent': [
      unsubmitted({ spec: { entrypointResources: '{"a": "many"}' } }),
      '→ Running/-',
    ],
  });

  it('says what is wrong with its request', () => {
    const { status, requeueAfterMs } = planJob(unsubmitted({ spec: { entrypointResources: 'many' } }));
    expect(status?.message).toBe('spec.entrypointResources is no JSON object of numbers: many');
    expect(requeueAfterMs).toBe(3000);
  });

  it('is looked at again when it may be handed over again', () => {
    expect(planJob(unsubmitted({ submission: SUBMITTED })).requeueAfterMs).toBe(2999);
  });

  it('that Ray has begun and forgotten is handed over once that is written', () => {
    const forgotten = unsubmitted({ status: { rayJobInfo: { startTime: ago(50) } } });
    const { status } = planJob(forgotten);
    expect(inWords(planJob({ ...forgotten, job: { ...forgotten.job, ...(status && { status }) } }))).toEqual([
      'ask job-x to submit',
    ]);
  });

  it('is submitted as it was written', () => {
    const [action] = planJob(unsubmitted({ spec: { entrypoint: ' python a.py\n', metadata: { a: '1' } } })).actions;
    const job = { entrypoint: ' python a.py\n', submissionId: 'job-id', metadata: { a: '1' } };
    expect(action).toMatchObject({ id: 'submit/job-id', command: { kind: 'submit', job } });
  });

  it('that Ray has forgotten becomes another attempt, and the one before is lost', () => {
    const plan = planJob(unsubmitted({ status: { jobStatus: 'RUNNING', attempts: [FIRST] } }));
    expect(plan.actions).toEqual([]);
    expect(plan.status?.attempts).toEqual([
      { ...FIRST, endTime: ago(0), outcome: 'Lost', reason: 'JobForgotten' },
      { ...FIRST, number: 2, startTime: ago(0) },
    ]);
  });

  it('waits for the name of the head that it is to go to when its cluster has just lost one', () => {
    const at = (head: object) =>
      inWords(
        planJob(
          initializing({
            cluster: cluster('ready', { status: { state: 'ready', head } }),
            spec: { submissionMode: 'HTTPMode' },
          }),
        ),
      );
    expect(at({ serviceName: 'job-x-head-svc' })).toEqual(['→ Initializing/-']);
    expect(at({ serviceName: 'job-x-head-svc', podName: 'head' })).toEqual(['→ Running/-']);
  });

  it('waits for no name where the RayCluster CRD is so old that it has room for none', () => {
    const head = { podIP: '10.0.0.1', serviceIP: '10.0.0.2' };
    const old = cluster('ready', { status: { state: 'ready', head } });
    const observed = initializing({ cluster: old, spec: { submissionMode: 'HTTPMode' } });
    expect(inWords(planJob(observed))).toEqual(['→ Running/-']);
  });

  it('is between two tries for three seconds after a refusal, and nothing is decided then', () => {
    expect([0, 2, 3].map((seconds) => isSubmissionBackingOff({ submission: failed(seconds), now: NOW }))).toEqual([
      true,
      true,
      false,
    ]);
    expect(isSubmissionBackingOff({ submission: { state: 'done', at: NOW }, now: NOW })).toBe(false);
    const observed = unsubmitted({ ...restarted(3), submission: failed(1), status: { attempts: [FIRST] } });
    expect(planJob(observed).status?.attempts).toEqual([FIRST]);
  });

  it('remembers which life of Ray it is to go to', () => {
    const { status } = planJob(
      initializing({ ...restarted(2), spec: { submissionMode: 'HTTPMode' }, status: { attempts: [FIRST] } }),
    );
    expect(status).toMatchObject({ jobDeploymentStatus: 'Running', attempts: [{ number: 1, headRestarts: 2 }] });
  });

  it('that was forgotten by a restarted Ray is lost there, and the next attempt is for Ray as it is now', () => {
    const { status } = planJob(unsubmitted({ ...restarted(3), status: { attempts: [FIRST] } }));
    expect(status?.attempts).toEqual([
      { ...FIRST, endTime: ago(0), outcome: 'Lost', reason: 'JobForgotten' },
      { ...FIRST, number: 2, startTime: ago(0), headRestarts: 3 },
    ]);
  });
});

describe('what Ray is asked', () => {
  const asked = (options: Options) => needsOfJob(running(options)).question;
  it('is nothing before there is a job, and when it leaves', () => {
    expect(asked({ status: { jobDeploymentStatus: 'Initializing' } })).toBeUndefined();
    expect(asked({ status: { jobId: undefined as never } })).toBeUndefined();
    expect(asked({ metadata: { deletionTimestamp: ago(0) } })).toBeUndefined();
  });

  it('may be an old answer while nothing happens', () => {
    expect(asked({})).toEqual({ jobId: 'job-id', newerThan: undefined });
  });

  it('must be newer than the submitter’s end, the submission and the deadline', () => {
    const endSeen = {
      submitter: done(5),
      memory: { submitterEnd: { endedAt: NOW - 5000, seenAt: NOW - 4000 } },
    };
    expect(asked(endSeen)?.newerThan).toBe(NOW - 4000);
    expect(asked({ submission: SUBMITTED })?.newerThan).toBe(NOW - 1);
    expect(asked({ spec: { activeDeadlineSeconds: 58 } })?.newerThan).toBe(NOW - 2000);
    expect(asked({ ...endSeen, spec: { activeDeadlineSeconds: 58 } })?.newerThan).toBe(NOW - 2000);
  });

  it('must be newer than the moment from which on a head that failed is given up', () => {
    const failing = (seconds: number) => ({ status: { jobStatusCheckFailureStartTime: ago(seconds) } });
    expect(asked(failing(302))?.newerThan).toBe(NOW - 2000);
    expect(asked(failing(299))?.newerThan).toBeUndefined();
  });

  it('need not be newer than a submission that is yet to come, by a clock that was set back', () => {
    expect(asked({ submission: { state: 'done', at: NOW + 1000 } })?.newerThan).toBeUndefined();
  });

  it('must be newer than the moment at which the operator saw the submitter’s end, whatever the submitter’s clock shows', () => {
    expect(asked({ submitter: done(-100) })?.newerThan).toBe(NOW - 1);
    expect(asked({ submitter: done(-100), spec: { submissionMode: 'HTTPMode' } })?.newerThan).toBeUndefined();
  });
});
