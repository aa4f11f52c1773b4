import { Annotation, JobDeploymentStatus, Label, type RayJob } from '@manta/api';
import type { CronChild } from '../raycronjob/observed.ts';
import { namedRecord } from './child-records.ts';

/** A child RayJob with the key of its RayCronJob: `namespace/name`. */
export type CronChildRecord = CronChild & { readonly cronJob: string };

/** The record of a RayJob that a RayCronJob created. */
export function cronChildRecord(job: RayJob): CronChildRecord {
  const { metadata = {}, status } = job;
  const { namespace = '', labels, annotations } = metadata;
  const scheduledAt = Date.parse(annotations?.[Annotation.CronJobScheduledTimestamp] ?? '');
  return {
    ...namedRecord(job),
    scheduledAt: Number.isNaN(scheduledAt) ? Date.parse(metadata.creationTimestamp ?? '') : scheduledAt,
    isTerminating: metadata.deletionTimestamp !== undefined,
    outcome: outcomeOf(status?.jobDeploymentStatus),
    cronJob: `${namespace}/${labels?.[Label.CronJobName] ?? ''}`,
  };
}

/** A job that failed validation counts as failed: it would never end. */
function outcomeOf(status: JobDeploymentStatus | undefined): CronChild['outcome'] {
  if (status === JobDeploymentStatus.Complete) return 'succeeded';
  return status === JobDeploymentStatus.Failed || status === JobDeploymentStatus.ValidationFailed
    ? 'failed'
    : 'running';
}
