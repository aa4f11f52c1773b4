import { JobSubmissionMode, Label, type RayJob, type RayJobSpec, type RayJobStatus } from '@manta/api';
import { afterObservation, type RayJobMemory } from './memory.ts';
import type { ObservedRayJob } from './observed.ts';

/** A job as observed, with its defaults applied. */
export interface ObservedJob extends ObservedRayJob {
  readonly spec: RayJobSpec;
  readonly status: RayJobStatus;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The CRD accepts any string. The operator neither submits nor rejects a job with an unknown mode. */
  readonly mode: string;
  /** The job runs on a cluster that it does not own. The operator never creates, changes or deletes that cluster for the job. */
  readonly selectsExistingCluster: boolean;
}

/** A job as observed and as remembered: the input of every decision. Times are milliseconds since the epoch. */
export interface JobState extends ObservedJob {
  /** The memory, this observation included. */
  readonly memory: RayJobMemory;
  /** When this process first missed the cluster of an active job. */
  readonly missingSince: number | undefined;
  /** When status checks began to fail, corrected for changes of the clock; undefined while they succeed. */
  readonly failingSince: number | undefined;
  /** When this process first saw that the submitter had ended. */
  readonly endSeenAt: number | undefined;
  /** This process recorded the cluster's name in the status, and the cluster has not existed since. */
  readonly isClusterUncreated: boolean;
}

export function jobStateOf(observed: ObservedRayJob, memory: RayJobMemory): JobState {
  const job = withDefaults(observed);
  const { now, steady, status } = job;
  const remembered = afterObservation(memory, job);
  const { clusterMissingSince: missing, statusCheckFailure: failure, submitterEnd, uncreatedCluster } = remembered;
  return {
    ...job,
    memory: remembered,
    missingSince: missing === undefined ? undefined : now - (steady - missing),
    failingSince: failure === undefined ? undefined : now - failure.elapsedMs - (steady - failure.seenAt),
    endSeenAt: submitterEnd?.seenAt,
    isClusterUncreated: status.rayClusterName !== undefined && uncreatedCluster === status.rayClusterName,
  };
}

function withDefaults(observed: ObservedRayJob): ObservedJob {
  const { metadata = {}, spec = {}, status = {} } = observed.job;
  const { name = '', namespace = '', uid = '' } = metadata;
  return {
    ...observed,
    spec,
    status,
    name,
    namespace,
    uid,
    // Templates may render an empty string, which counts as unset.
    mode: spec.submissionMode || JobSubmissionMode.K8sJob,
    selectsExistingCluster: Object.keys(spec.clusterSelector ?? {}).length > 0,
  };
}

/** The name of the cluster that the job runs on; undefined before the job has one. */
export function clusterNameOf({ spec, status }: RayJob): string | undefined {
  return (
    status?.rayClusterName || (spec === undefined ? undefined : spec.clusterSelector?.[Label.Cluster]) || undefined
  );
}
