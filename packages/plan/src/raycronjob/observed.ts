import type { FeatureGates, RayCronJob, YamlParser } from '@manta/api';

/** Everything a decision about a RayCronJob needs, gathered at one moment. */
export interface ObservedRayCronJob {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly cronJob: RayCronJob;
  /** The RayJobs that it created; watched only with the feature gate `RayCronJobPolicies`. */
  readonly children: readonly CronChild[];
  readonly gates: FeatureGates;
  readonly parseYaml: YamlParser;
}

/** The record of a RayJob that a RayCronJob created. */
export interface CronChild {
  readonly name: string;
  readonly uid: string;
  /** The uid of the controller that owns it. */
  readonly owner: string | undefined;
  /** Its scheduled time, or its creation time if unknown; milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly isTerminating: boolean;
  readonly outcome: 'running' | 'succeeded' | 'failed';
}
