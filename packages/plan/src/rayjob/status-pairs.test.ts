import type { JobDeploymentStatus, RayJobState, RayJobStatus } from '@manta/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headPod, NOW } from '../testing/observed.ts';
import { ALLOWED_PAIRS, hasEnded, isAllowedPair } from './status-pairs.ts';
import {
  ago,
  cluster,
  DOES_NOT_KNOW,
  done,
  gaveUp,
  IS_SILENT,
  running,
  STARTED,
  SUBMITTED,
  says,
  sidecar,
  submitter,
  planJob,
  type JobScene,
} from './testing/observed-job.ts';

const pairs = Object.entries(ALLOWED_PAIRS).flatMap(([stage, states]) =>
  states.map((state) => [stage, state] as const),
);

/** Any job that can be, in any world around it. */
const anyJob: fc.Arbitrary<JobScene> = fc
  .record({
    pair: fc.constantFrom(...pairs),
    mode: fc.constantFrom('K8sJobMode', 'HTTPMode', 'SidecarMode', 'InteractiveMode', 'OtherMode'),
    suspend: fc.boolean(),
    backoffLimit: fc.integer({ min: 0, max: 2 }),
    failed: fc.integer({ min: 0, max: 3 }),
    activeDeadlineSeconds: fc.constantFrom(undefined, 30, 600),
    preRunningDeadlineSeconds: fc.constantFrom(undefined, 30, 600),
    cluster: fc.constantFrom(undefined, cluster(), cluster('ready')),
    submitter: fc.constantFrom(undefined, submitter(), done(), gaveUp(), done(90_000)),
    heads: fc.constantFrom([], [headPod()], [sidecar()], [sidecar(0)], [sidecar(1)], [sidecar(), sidecar()]),
    answer: fc.oneof(
      fc.constantFrom('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED', 'PAUSED').map((status) => says(status)),
      fc.constantFrom(
        DOES_NOT_KNOW,
        IS_SILENT,
        { ...IS_SILENT, isMalformed: true } as const,
        {
          kind: 'awaited',
        } as const,
      ),
    ),
    submission: fc.constantFrom(undefined, { state: 'running', since: NOW } as const, SUBMITTED),
    silentSince: fc.constantFrom(undefined, ago(10), ago(301)),
    isDeleted: fc.boolean(),
  })
  .map(observe);

function observe({ pair: [stage, state], mode, silentSince, isDeleted, ...rest }: Case): JobScene {
  const { suspend, backoffLimit, failed, activeDeadlineSeconds, preRunningDeadlineSeconds, ...world } = rest;
  const status = Object.fromEntries(
    Object.entries({
      ...STARTED,
      jobDeploymentStatus: stage as JobDeploymentStatus,
      jobStatus: state,
      failed,
      jobStatusCheckFailureStartTime: silentSince,
    }).filter(([, value]) => value !== '' && value !== undefined),
  ) as RayJobStatus;
  const spec = {
    submissionMode: mode as 'HTTPMode',
    // Where the two do not go together the job is refused.
    suspend,
    shutdownAfterJobFinishes: true,
    backoffLimit: mode === 'InteractiveMode' ? 0 : backoffLimit,
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
    ...(preRunningDeadlineSeconds === undefined ? {} : { preRunningDeadlineSeconds }),
  };
  const metadata = isDeleted ? { deletionTimestamp: ago(1), finalizers: ['ray.io/rayjob-finalizer'] } : {};
  return running({
    ...world,
    spec,
    status: { ...status, jobDeploymentStatus: stage as 'Running', jobStatus: state },
    metadata,
  });
}

interface Case extends Pick<JobScene, 'cluster' | 'submitter' | 'heads' | 'answer' | 'submission'> {
  readonly pair: readonly [string, RayJobState];
  readonly mode: string;
  readonly suspend: boolean;
  readonly backoffLimit: number;
  readonly failed: number;
  readonly activeDeadlineSeconds: number | undefined;
  readonly preRunningDeadlineSeconds: number | undefined;
  readonly silentSince: string | undefined;
  readonly isDeleted: boolean;
}

/** The world after the plan's status was written. */
const written = (observed: JobScene): JobScene => {
  const { status } = planJob(observed);
  return status === undefined ? observed : { ...observed, job: { ...observed.job, status }, now: NOW + 1 };
};

describe('whatever happens', () => {
  it('the two statuses of a job go together', () => {
    fc.assert(
      fc.property(anyJob, (observed) => {
        const { status } = planJob(observed);
        expect(status === undefined || isAllowedPair(status)).toBe(true);
      }),
    );
  });

  it('a job that has ended stays as it ended', () => {
    fc.assert(
      fc.property(
        anyJob.filter(({ job }) => hasEnded(job.status ?? {})),
        (observed) => {
          expect(planJob(observed).status).toBeUndefined();
        },
      ),
    );
  });

  it('only Ray ends a job in success', () => {
    fc.assert(
      fc.property(anyJob, (observed) => {
        const { status } = planJob(observed);
        if (status?.jobDeploymentStatus !== 'Complete') return;
        const { answer, job } = observed;
        const told = answer.kind === 'answered' ? answer.report?.status : undefined;
        expect([told, job.status?.jobStatus]).toContain(status.jobStatus);
      }),
    );
  });

  it('no job that Ray calls active fails but by a deadline or for want of its head', () => {
    fc.assert(
      fc.property(anyJob, (observed) => {
        const { answer, job, submitter: by } = observed;
        const isActive = answer.kind === 'answered' && ['PENDING', 'RUNNING'].includes(answer.report?.status ?? '');
        const isForeign = (by?.finishedAt ?? NOW) < NOW - 80_000_000;
        const status = planJob(observed).status;
        if (
          !isActive ||
          isForeign ||
          job.status?.jobDeploymentStatus !== 'Running' ||
          job.status.jobStatus === 'FAILED'
        )
          return;
        if (status?.jobDeploymentStatus !== 'Failed' && status?.jobDeploymentStatus !== 'Retrying') return;
        expect([status.reason, status.message]).toSatisfy(
          ([reason, message]) => reason === 'DeadlineExceeded' || message === 'Ray head pod not found.',
        );
      }),
    );
  });

  it('a status that was written is not written again', () => {
    fc.assert(
      fc.property(anyJob, (observed) => {
        let current = observed;
        for (let pass = 0; pass < 12; pass += 1) current = written(current);
        expect(planJob(current).status).toBeUndefined();
      }),
    );
  });
});

describe('the table of statuses that go together', () => {
  it('has room for what only a newer Ray says, while a job runs', () => {
    expect(isAllowedPair({ jobDeploymentStatus: 'Running', jobStatus: 'PAUSED' as RayJobState })).toBe(true);
    expect(isAllowedPair({ jobDeploymentStatus: 'Complete', jobStatus: 'PAUSED' as RayJobState })).toBe(false);
  });

  it('knows no success that failed, and no failure that is complete', () => {
    expect(isAllowedPair({ jobDeploymentStatus: 'Failed', jobStatus: 'SUCCEEDED' })).toBe(false);
    expect(isAllowedPair({ jobDeploymentStatus: 'Complete', jobStatus: 'FAILED' })).toBe(false);
  });
});
