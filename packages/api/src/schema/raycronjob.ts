import type { CustomResourceColumnDefinition } from '../core.gen.ts';
import { ConcurrencyPolicy } from '../raycronjob.ts';
import { bool, int, object, type Schema, string, time } from './dsl.ts';
import { jobSpec } from './rayjob.ts';
import { conditions, root } from './shared-fields.ts';

const spec = object(
  {
    jobTemplate: jobSpec('Spec of the RayJobs that the schedule creates.'),
    schedule: string('Schedule in cron format, for example `0 3 * * *`, `@hourly` or `@every 1h`.'),
    timeZone: string("Time zone of the schedule, for example `Europe/Berlin`; the operator's time zone if unset.", {
      minLength: 1,
    }),
    suspend: bool('Creates no new RayJobs while true. Running RayJobs continue.'),
    concurrencyPolicy: string(
      'If an earlier RayJob runs: `Allow` (default) creates another one, `Forbid` waits, `Replace` deletes the earlier one. Needs the feature gate RayCronJobPolicies.',
      { enum: Object.values(ConcurrencyPolicy) },
    ),
    startingDeadlineSeconds: int(
      'Deadline in seconds for creating a RayJob after its scheduled time; no deadline if unset. Needs the feature gate RayCronJobPolicies.',
      { minimum: 0 },
      'int64',
    ),
    successfulJobsHistoryLimit: int(
      'Number of completed RayJobs to keep; all if unset. Needs the feature gate RayCronJobPolicies.',
      { minimum: 0 },
    ),
    failedJobsHistoryLimit: int(
      'Number of failed RayJobs to keep; all if unset. Needs the feature gate RayCronJobPolicies.',
      { minimum: 0 },
    ),
  },
  'Desired schedule.',
  { required: ['jobTemplate', 'schedule'] },
);

const status = object(
  {
    lastScheduleTime: time('Last scheduled time for which the operator created a RayJob.'),
    conditions,
  },
  'Observed state of the schedule.',
);

/** The RayCronJob kind in v1. */
export const rayCronJob: Schema = root(spec, status, 'Creates RayJobs on a schedule.');

/** What `kubectl get raycronjobs` shows. */
export const rayCronJobColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'schedule', jsonPath: '.spec.schedule', type: 'string' },
  { name: 'timezone', jsonPath: '.spec.timeZone', type: 'string' },
  { name: 'last schedule', jsonPath: '.status.lastScheduleTime', type: 'date' },
  { name: 'age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  { name: 'suspend', jsonPath: '.spec.suspend', type: 'boolean' },
  { name: 'reason', jsonPath: '.status.conditions[?(@.type=="Scheduling")].reason', type: 'string' },
  { name: 'message', jsonPath: '.status.conditions[?(@.type=="Scheduling")].message', type: 'string', priority: 1 },
];
