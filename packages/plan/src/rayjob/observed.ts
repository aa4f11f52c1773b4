import type { RayCluster, RayJob, YamlParser } from '@manta/api';
import type { BuildContext } from '../build/context.ts';
import type { JobRecord, PodRecord, ServiceRecord } from '../raycluster/observed.ts';
import type { GangRecord } from '../scheduling/scheduler.ts';
import type { Stray } from './strays.ts';

/** Everything a decision about a RayJob needs, gathered at one moment. */
export interface ObservedRayJob {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly job: RayJob;
  /** The cluster that the job runs on, see `clusterNameOf`. */
  readonly cluster: RayCluster | undefined;
  /** Since when this process has missed the cluster of a job that runs, by its own clock. */
  readonly missingSince?: number | undefined;
  /** Since when status checks have been failing, corrected for changes of the clock; absent: what the status says. */
  readonly failingSince?: number | undefined;
  /** Whether this process has written down the names of the attempt itself, and no cluster was made under them since. */
  readonly isUnmade?: boolean;
  /** Every head pod that carries the cluster's label. */
  readonly heads: readonly PodRecord[];
  /** Clusters of attempts that are over; nothing uses them. */
  readonly strays?: readonly Stray[];
  /** How many pods carry the cluster's label, those that are going included. */
  readonly podCount: number;
  /** The cluster's pods that something keeps from running. */
  readonly troubled: readonly PodRecord[];
  /** The Kubernetes Job of the RayJob's name, whoever made it. */
  readonly submitter: JobRecord | undefined;
  /** Since when this process knows that the submitter has ended, by its own clock. */
  readonly endSeenAt?: number | undefined;
  /** The Service through which users reach whichever head the job has. */
  readonly headService: ServiceRecord | undefined;
  /** Where the cluster offers its dashboard: host and port. */
  readonly address: Address;
  readonly answer: JobAnswer;
  /** Since when the spec has been in order again, as far as this process knows; only after it was not. */
  readonly repairedSince?: number | undefined;
  /** What the batch scheduler was told of this job's pods; absent where there is none. */
  readonly gang?: readonly GangRecord[];
  readonly submission: CommandView | undefined;
  readonly stopping: CommandView | undefined;
  readonly context: BuildContext;
  readonly parseYaml: YamlParser;
}

export type Address =
  | { readonly isFound: true; readonly address: string }
  | { readonly isFound: false; readonly why: string };

/** The last that Ray said about the job. Times are those at which Ray was asked. */
export type JobAnswer =
  /** There is nothing to ask, or nobody. */
  | { readonly kind: 'unasked' }
  /** The head cannot be asked at all: its address or its token is missing. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** Asked, and not answered yet, or not since the moment that matters. */
  | { readonly kind: 'awaited' }
  | { readonly kind: 'answered'; readonly at: number; readonly report: JobReport | undefined }
  | {
      readonly kind: 'failing';
      readonly why: string;
      readonly since: number;
      readonly at: number;
      /** The head is there and answers in JSON, but not about the job. */
      readonly isBesideThePoint: boolean;
    };

/** What a head knows about the job. */
export interface JobReport {
  readonly status: string;
  readonly message: string;
  /** Milliseconds since the epoch; 0 while not known. */
  readonly startTime: number;
  readonly endTime: number;
}

/** How far something that was asked of a head got. */
export type CommandView =
  | { readonly state: 'running'; readonly since: number }
  /** `isInVain`: there was nothing to stop. */
  | { readonly state: 'done'; readonly at: number; readonly isInVain?: boolean }
  | { readonly state: 'failed'; readonly at: number; readonly why: string };
