import { describe, expect, it } from 'vitest';
import { NOW } from '../testing/observed.ts';
import { afterProgress, EMPTY_RAYJOB_MEMORY, type RayJobMemory } from './memory.ts';
import { jobStateOf } from './state.ts';
import {
  ago,
  cluster,
  DOES_NOT_KNOW,
  done,
  initializing,
  IS_SILENT,
  type JobScene,
  observedJob,
  planJob,
  running,
  sidecar,
} from './testing/observed-job.ts';

/** The memory after some observations, the first with an empty memory. */
function afterAll(...scenes: readonly JobScene[]): RayJobMemory {
  return scenes.reduce<RayJobMemory>((memory, scene) => jobStateOf(scene, memory).memory, EMPTY_RAYJOB_MEMORY);
}

const later = (scene: JobScene, ms: number, steadyMs = ms): JobScene => ({
  ...scene,
  now: NOW + ms,
  steady: NOW + steadyMs,
});

describe('the time since which a cluster is missing', () => {
  const missing = running({ cluster: undefined });
  const since = (scene: JobScene, memory: RayJobMemory) => jobStateOf(scene, memory).missingSince;

  it('starts with the first observation without the cluster', () => {
    expect(since(later(missing, 4000), afterAll(missing))).toBe(NOW);
    expect(since(initializing({ cluster: undefined }), EMPTY_RAYJOB_MEMORY)).toBe(NOW);
  });

  it('is dropped when the cluster exists, and starts again later', () => {
    const memory = afterAll(missing, later(running(), 1000));
    expect(memory.clusterMissingSince).toBeUndefined();
    expect(since(later(missing, 9000), memory)).toBe(NOW + 9000);
  });

  it('does not apply to states without a cluster', () => {
    expect(since(observedJob(), EMPTY_RAYJOB_MEMORY)).toBeUndefined();
  });

  it('grows by steady time when the clock jumps', () => {
    const jumped = later(missing, 3_600_000, 2000);
    expect(jumped.now - (since(jumped, afterAll(missing)) ?? 0)).toBe(2000);
  });

  it('starts again when a clock without steady time was set back', () => {
    const back = later(missing, -60_000);
    expect(since(back, afterAll(missing))).toBe(back.now);
  });
});

describe('the time since which status checks fail', () => {
  const failing = running({ answer: IS_SILENT, status: { jobStatusCheckFailureStartTime: ago(10) } });
  const since = (scene: JobScene, memory: RayJobMemory) => jobStateOf(scene, memory).failingSince;

  it('is the recorded time for a process that has just started', () => {
    expect(since(failing, EMPTY_RAYJOB_MEMORY)).toBe(NOW - 10_000);
  });

  it('grows by steady time when the clock jumps', () => {
    const jumped = later(failing, 3_600_000, 2000);
    expect(jumped.now - (since(jumped, afterAll(failing)) ?? 0)).toBe(12_000);
  });

  it('is dropped when checks succeed', () => {
    expect(afterAll(failing, running()).statusCheckFailure).toBeUndefined();
  });

  it('starts with the plan that records it, before the clock can jump', () => {
    const { memory = {}, status } = planJob(running({ answer: IS_SILENT }));
    const startTime = status?.jobStatusCheckFailureStartTime;
    expect(memory.statusCheckFailure).toMatchObject({ startTime: ago(0), seenAt: NOW });
    const recorded = running({ answer: IS_SILENT, status: { jobStatusCheckFailureStartTime: startTime ?? '' } });
    const jumped = later(recorded, 3_600_000, 2000);
    expect(jumped.now - (since(jumped, memory) ?? 0)).toBe(2000);
  });
});

describe('the moment at which the operator saw the submitter end', () => {
  const seenAt = (scene: JobScene, memory: RayJobMemory = EMPTY_RAYJOB_MEMORY) => jobStateOf(scene, memory).endSeenAt;

  it('is the first observation of the end, by the operator’s clock', () => {
    const finished = running({ submitter: done(-100) });
    expect(seenAt(finished)).toBe(NOW - 1);
    expect(seenAt(later(finished, 5000), afterAll(finished))).toBe(NOW - 1);
  });

  it('is undefined while the submitter works, and without a submitter', () => {
    expect(seenAt(running())).toBeUndefined();
    expect(seenAt(running({ submitter: done(), spec: { submissionMode: 'HTTPMode' } }))).toBeUndefined();
  });

  it('changes with another end, and after the clock was set back', () => {
    const memory = afterAll(running({ submitter: done(5) }));
    expect(seenAt(later(running({ submitter: done(1) }), 3000), memory)).toBe(NOW + 2999);
    expect(seenAt(later(running({ submitter: done(5) }), -3000), memory)).toBe(NOW - 3001);
  });

  it('stays the same for an end without a recorded time', () => {
    const crashing = running({
      heads: [sidecar(undefined, 2)],
      gates: { SidecarSubmitterRestart: true },
      spec: { submissionMode: 'SidecarMode' },
    });
    expect(seenAt(later(crashing, 1000), afterAll(crashing))).toBe(NOW - 1);
  });
});

describe('a cluster whose name was recorded and that was not created', () => {
  const named = planJob(observedJob());
  const { status = {}, memory = {} } = named;
  const acted = { kind: 'acted', actions: named.actions, outcome: { kind: 'done' }, generation: 1, now: NOW } as const;
  const recorded = afterProgress(afterProgress(memory, acted), {
    kind: 'status-written',
    before: undefined,
    status,
    now: NOW,
  });
  const isUncreated = (scene: JobScene, known: RayJobMemory) => jobStateOf(scene, known).isClusterUncreated;
  const waiting = initializing({ cluster: undefined, status });

  it('is remembered once the status is written, not before', () => {
    expect(isUncreated(waiting, recorded)).toBe(true);
    expect(isUncreated(waiting, afterProgress(memory, acted))).toBe(false);
    expect(isUncreated(waiting, EMPTY_RAYJOB_MEMORY)).toBe(false);
  });

  it('is remembered at once if the status names it already', () => {
    const stored = { clusterToRecord: { name: 'job-x', isStored: true } };
    expect(afterProgress(stored, acted).uncreatedCluster).toBe('job-x');
    const failed = { ...acted, outcome: { kind: 'failed', message: 'conflict' } } as const;
    expect(afterProgress(stored, failed).uncreatedCluster).toBeUndefined();
  });

  it('is another cluster than that of the next attempt', () => {
    expect(isUncreated(initializing({ cluster: undefined }), recorded)).toBe(false);
  });

  it('is forgotten when the cluster is created or seen', () => {
    const { actions } = planJob({ ...waiting, memory: recorded });
    expect(afterProgress(recorded, { ...acted, actions }).uncreatedCluster).toBeUndefined();
    expect(jobStateOf(initializing({ cluster: cluster(), status }), recorded).memory.uncreatedCluster).toBeUndefined();
  });
});

describe('a job that this process itself moved to Running', () => {
  it('is remembered, so that its first submission needs no second look at the API server', () => {
    const before = { jobDeploymentStatus: 'Initializing' } as const;
    const status = { jobDeploymentStatus: 'Running', jobId: 'job-id' } as const;
    const memory = afterProgress({}, { kind: 'status-written', before, status, now: NOW });
    expect(memory.handedOverJobId).toBe('job-id');
    expect(afterProgress({}, { kind: 'status-written', before: status, status, now: NOW })).toEqual({});
    expect(planJob(running({ answer: DOES_NOT_KNOW, memory })).memory?.handedOverJobId).toBe('job-id');
  });
});
