import type { CustomResourceColumnDefinition } from '../core.gen.ts';
import { ConcurrencyPolicy } from '../raycronjob.ts';
import { bool, int, object, type Schema, string, time } from './dsl.ts';
import { jobSpec } from './rayjob.ts';
import { root } from './shared-fields.ts';

const spec = object(
  {
    jobTemplate: jobSpec('The spec of the RayJobs that are made.'),
    schedule: string('When to run, in cron form: `0 3 * * *`, `@hourly`, `@every 1h`.'),
    timeZone: string("Time zone of the schedule, such as `Europe/Berlin`; the operator's own when left out.", {
      minLength: 1,
    }),
    suspend: bool('Makes no new RayJobs while true; those that run are left alone.'),
    concurrencyPolicy: string(
      'What to do at a scheduled time while an earlier RayJob still runs: `Allow` (the default) makes another one, `Forbid` waits for its end, `Replace` deletes it. Needs the feature gate RayCronJobPolicies.',
      { enum: Object.values(ConcurrencyPolicy) },
    ),
    startingDeadlineSeconds: int(
      'How many seconds after its scheduled time a RayJob may still be made; no limit when left out. Needs the feature gate RayCronJobPolicies.',
      { minimum: 0 },
      'int64',
    ),
    successfulJobsHistoryLimit: int(
      'How many RayJobs that completed are kept, all when left out. Needs the feature gate RayCronJobPolicies.',
      { minimum: 0 },
    ),
    failedJobsHistoryLimit: int(
      'How many RayJobs that failed are kept, all when left out. Needs the feature gate RayCronJobPolicies.',
      { minimum: 0 },
    ),
  },
  'The wanted schedule.',
  { required: ['jobTemplate', 'schedule'] },
);

const status = object(
  { lastScheduleTime: time('The time in the schedule that last led to a RayJob.') },
  'What is known of the schedule.',
);

/** The RayCronJob kind in v1. */
export const rayCronJob: Schema = root(spec, status, 'Makes a RayJob on a schedule.');

/** What `kubectl get raycronjobs` shows. */
export const rayCronJobColumns: readonly CustomResourceColumnDefinition[] = [
  { name: 'schedule', jsonPath: '.spec.schedule', type: 'string' },
  { name: 'timezone', jsonPath: '.spec.timeZone', type: 'string' },
  { name: 'last schedule', jsonPath: '.status.lastScheduleTime', type: 'date' },
  { name: 'age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  { name: 'suspend', jsonPath: '.spec.suspend', type: 'boolean' },
];
