import type { FeatureGates, RayCronJob, YamlParser } from '@manta/api';

/** Everything a decision about a RayCronJob needs, gathered at one moment. */
export interface ObservedRayCronJob {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly cronJob: RayCronJob;
  /** The RayJobs that it made; followed, and needed, only where `RayCronJobPolicies` is on. */
  readonly children: readonly CronChild[];
  readonly gates: FeatureGates;
  readonly parseYaml: YamlParser;
}

/** What decisions need of a RayJob that a schedule made. */
export interface CronChild {
  readonly name: string;
  readonly uid: string;
  /** The uid of the controller that owns it. */
  readonly owner: string | undefined;
  /** When it was due, or made where that is not known; milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly isTerminating: boolean;
  readonly outcome: 'running' | 'succeeded' | 'failed';
}
