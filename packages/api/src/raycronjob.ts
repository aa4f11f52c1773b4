/** RayCronJob v1: RayJobs on a schedule. */
import type { Condition, ObjectMeta, Time } from './meta.ts';
import type { RayJobSpec } from './rayjob.ts';

/** Makes a RayJob each time its schedule comes round. */
export interface RayCronJob {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: RayCronJobSpec;
  readonly status?: RayCronJobStatus;
}

/** What to run, and when. */
export interface RayCronJobSpec {
  /** A bare spec, without metadata. */
  readonly jobTemplate: RayJobSpec;
  readonly schedule: string;
  /** An IANA name; unset means the operator's own zone. */
  readonly timeZone?: string;
  readonly suspend?: boolean;
  /** What happens when a time comes while an earlier RayJob still runs; unset: the new one is made beside it. */
  readonly concurrencyPolicy?: ConcurrencyPolicy;
  /** How late a RayJob may still be made; unset: however late. */
  readonly startingDeadlineSeconds?: number;
  /** How many RayJobs that ended well are kept; unset: all. */
  readonly successfulJobsHistoryLimit?: number;
  /** How many RayJobs that failed are kept; unset: all. */
  readonly failedJobsHistoryLimit?: number;
}

/** The same words, with the same meaning, as in Kubernetes' own CronJob. */
export const ConcurrencyPolicy = { Allow: 'Allow', Forbid: 'Forbid', Replace: 'Replace' } as const;
export type ConcurrencyPolicy = (typeof ConcurrencyPolicy)[keyof typeof ConcurrencyPolicy];

/** The fields of a schedule that go beyond the peer's; all are optional, and a feature gate allows them. */
export const CRON_POLICY_FIELDS = [
  'concurrencyPolicy',
  'startingDeadlineSeconds',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
] as const satisfies readonly (keyof RayCronJobSpec)[];

/** What the operator remembers of a schedule. */
export interface RayCronJobStatus {
  /** The time that was due, not the time at which the job was made. */
  readonly lastScheduleTime?: Time;
  /** Ours alone; absent while the operator carries out the schedule. */
  readonly conditions?: readonly Condition[];
}

/** The conditions of a RayCronJob. */
export const RayCronJobConditionType = { Scheduling: 'Scheduling' } as const;

/** The reasons that they give. */
export const RayCronJobConditionReason = { FeatureGateOff: 'FeatureGateOff' } as const;
