/** RayCronJob v1: RayJobs on a schedule. */
import type { ObjectMeta, Time } from './meta.ts';
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
}

/** What the operator remembers of a schedule. */
export interface RayCronJobStatus {
  /** The time that was due, not the time at which the job was made. */
  readonly lastScheduleTime?: Time;
}
