import { JobDeploymentStatus, type RayJobStatus, type Time } from '@manta/api';
import type { Progress } from '../plan.ts';
import type { JobState, ObservedJob } from './state.ts';
import type { Step } from './step.ts';
import { submitterState } from './submitter.ts';

/**
 * What this process remembers of one RayJob between two reconciles. A restarted operator starts with an empty memory: it then waits longer
 * or asks once more, and never decides on less knowledge.
 */
export interface RayJobMemory {
  /** When the cluster of an active job was first missed, in steady time. */
  readonly clusterMissingSince?: number | undefined;
  readonly statusCheckFailure?: StatusCheckFailure | undefined;
  /** The submitter's end: on its machine's clock (0: not recorded), and when this process first saw it, by the operator's clock. */
  readonly submitterEnd?: { readonly endedAt: number; readonly seenAt: number } | undefined;
  /** A cluster whose name this process recorded in the status, and which has not existed since. */
  readonly uncreatedCluster?: string | undefined;
  /** A cluster that the last plan names. It becomes the `uncreatedCluster` when the status with its name is stored. */
  readonly clusterToRecord?: { readonly name: string | undefined; readonly isStored: boolean } | undefined;
  /** The Ray job id that this process itself moved to Running: nothing has submitted it before. */
  readonly handedOverJobId?: string | undefined;
  /** When the spec was first seen valid after a validation failure, in milliseconds since the epoch. */
  readonly specValidSince?: number | undefined;
}

/**
 * A series of failed status checks. Only the time before this process saw it is measured by the clock, the rest in steady time: a clock that
 * is set forward must not expire the timeout.
 */
interface StatusCheckFailure {
  /** The start that the status records; identifies the series. */
  readonly startTime: Time;
  /** How long the series had lasted when this process first saw it, by the clock. */
  readonly elapsedMs: number;
  /** In steady time. */
  readonly seenAt: number;
}

export const EMPTY_RAYJOB_MEMORY: RayJobMemory = {};

/** States in which the job's cluster should exist. */
const STATES_WITH_CLUSTER: readonly (string | undefined)[] = [
  JobDeploymentStatus.Initializing,
  JobDeploymentStatus.Running,
];

/** The memory with an observation added. */
export function afterObservation(memory: RayJobMemory, observed: ObservedJob): RayJobMemory {
  const { cluster, status, steady } = observed;
  const isMissing = cluster === undefined && STATES_WITH_CLUSTER.includes(status.jobDeploymentStatus);
  return {
    ...memory,
    clusterToRecord: undefined,
    // Without a steady clock, the time starts again after the clock was set back.
    clusterMissingSince: isMissing ? Math.min(memory.clusterMissingSince ?? steady, steady) : undefined,
    statusCheckFailure: statusCheckFailure(memory, observed, status.jobStatusCheckFailureStartTime),
    submitterEnd: submitterEnd(memory, observed),
    uncreatedCluster: cluster === undefined ? memory.uncreatedCluster : undefined,
  };
}

/** The memory with the plan added that was made from it. `status` is what the plan writes, if anything. */
export function afterPlan({ memory, now, ...observed }: JobState, step: Step, status?: RayJobStatus): RayJobMemory {
  const { ValidationFailed } = JobDeploymentStatus;
  const wasInvalid = observed.status.jobDeploymentStatus === ValidationFailed;
  const isValid = wasInvalid && step.status?.jobDeploymentStatus !== ValidationFailed;
  const { rayClusterName: name } = status ?? observed.status;
  return {
    ...memory,
    specValidSince: isValid ? (memory.specValidSince ?? now) : undefined,
    clusterToRecord: step.namesNewCluster === true ? { name, isStored: status === undefined } : undefined,
    // The series starts now, before the clock can change.
    statusCheckFailure:
      statusCheckFailure(memory, { ...observed, now }, status?.jobStatusCheckFailureStartTime) ??
      memory.statusCheckFailure,
  };
}

/** The series of failed checks with this start. */
function statusCheckFailure(
  { statusCheckFailure: known }: RayJobMemory,
  { now, steady }: Pick<ObservedJob, 'now' | 'steady'>,
  startTime: Time | undefined,
): StatusCheckFailure | undefined {
  if (startTime === undefined) return undefined;
  if (known?.startTime === startTime) return known;
  return { startTime, elapsedMs: Math.max(0, now - Date.parse(startTime)), seenAt: steady };
}

/**
 * Ray's answers to questions asked after `seenAt` are newer than the submitter's end, however much the clocks of the machines differ.
 * `seenAt` is one millisecond early, so that a question of this very moment counts.
 */
function submitterEnd({ submitterEnd: known }: RayJobMemory, observed: ObservedJob): RayJobMemory['submitterEnd'] {
  const submitter = submitterState(observed);
  if (submitter.kind !== 'finished' && submitter.kind !== 'failed') return undefined;
  const endedAt = submitter.endedAt ?? 0;
  // After the clock was set back, Ray is asked again.
  return known?.endedAt === endedAt && known.seenAt <= observed.now ? known : { endedAt, seenAt: observed.now - 1 };
}

/** The memory after the plan's actions, or after its status was written. */
export function afterProgress(memory: RayJobMemory, progress: Progress<RayJobStatus>): RayJobMemory {
  const { clusterToRecord } = memory;
  if (progress.kind === 'status-written') {
    const { before, status } = progress;
    return {
      ...memory,
      ...(clusterToRecord === undefined ? {} : { uncreatedCluster: status.rayClusterName }),
      ...(isHandOver(before, status) ? { handedOverJobId: status.jobId ?? '' } : {}),
    };
  }
  if (progress.outcome.kind !== 'done') return memory;
  const hasCreatedCluster = progress.actions.some((action) => action.type === 'create' && action.kind === 'RayCluster');
  if (hasCreatedCluster) return { ...memory, uncreatedCluster: undefined };
  return clusterToRecord?.isStored === true ? { ...memory, uncreatedCluster: clusterToRecord.name } : memory;
}

function isHandOver(before: RayJobStatus | undefined, after: RayJobStatus): boolean {
  const { Initializing, Running } = JobDeploymentStatus;
  return before?.jobDeploymentStatus === Initializing && after.jobDeploymentStatus === Running;
}
