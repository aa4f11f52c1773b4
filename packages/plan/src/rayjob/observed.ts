import type { RayCluster, RayJob, YamlParser } from '@manta/api';
import type { BuildContext } from '../build/context.ts';
import type { GangRecord } from '../scheduling/scheduler.ts';
import type { JobRecord, PodRecord, ServiceRecord } from '../raycluster/observed.ts';
import type { OrphanedCluster } from './cluster-deletion.ts';

/** Everything a decision about a RayJob needs, gathered at one moment. */
export interface ObservedRayJob {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds on a clock that never jumps, see `Clock.steady`. */
  readonly steady: number;
  readonly job: RayJob;
  /** The cluster that the job runs on, see `clusterNameOf`. */
  readonly cluster: RayCluster | undefined;
  /** Every head pod with the cluster's label. */
  readonly heads: readonly PodRecord[];
  /** Clusters of former attempts, which nothing uses. */
  readonly orphanedClusters?: readonly OrphanedCluster[];
  /** The number of pods with the cluster's label, terminating pods included. */
  readonly podCount: number;
  /** The cluster's pods that cannot run, each with its reason in `trouble`. */
  readonly blockedPods: readonly PodRecord[];
  /** The Kubernetes Job with the RayJob's name, regardless of its owner. */
  readonly submitter: JobRecord | undefined;
  /** The pod of that Job that cannot start, and why; absent if none is known. */
  readonly submitterPod?: { readonly name: string; readonly trouble: string } | undefined;
  /** The Service through which users reach the head of the job's current cluster. */
  readonly headService: ServiceRecord | undefined;
  /** Host and port of the cluster's dashboard. */
  readonly address: Address;
  /** `unasked` until `rayJobNeeds` says what to ask. */
  readonly answer: JobAnswer;
  /** The batch scheduler's objects for this job; absent without a batch scheduler. */
  readonly gang?: readonly GangRecord[];
  readonly submission: CommandView | undefined;
  readonly stopping: CommandView | undefined;
  readonly context: BuildContext;
  readonly parseYaml: YamlParser;
}

export type Address =
  | { readonly isFound: true; readonly address: string }
  | { readonly isFound: false; readonly why: string };

/** Ray's last answer about the job. Times are those of the request. */
export type JobAnswer =
  /** There is no question, or no head to ask. */
  | { readonly kind: 'unasked' }
  /** The head cannot be asked: its address or its token is missing. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** The head was asked, and has not answered since the moment that the question requires. */
  | { readonly kind: 'awaited' }
  /** Without a report, the head does not know the job. */
  | { readonly kind: 'answered'; readonly at: number; readonly report: JobReport | undefined }
  | {
      readonly kind: 'failing';
      readonly why: string;
      readonly since: number;
      readonly at: number;
      /** The head responds with JSON that does not describe the job: it has lost the job's state. */
      readonly isMalformed: boolean;
    };

/** The head's knowledge of the job. */
export interface JobReport {
  readonly status: string;
  readonly message: string;
  /** Milliseconds since the epoch; 0 while unknown. */
  readonly startTime: number;
  readonly endTime: number;
}

/** Progress of a command that the operator sent to a head. */
export type CommandView =
  | { readonly state: 'running'; readonly since: number }
  /** `wasNotRunning`: a stop request that found no running job. */
  | { readonly state: 'done'; readonly at: number; readonly wasNotRunning?: boolean }
  | { readonly state: 'failed'; readonly at: number; readonly why: string };
