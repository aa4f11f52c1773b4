import { Annotation, JobDeploymentStatus, Label, type RayCronJob, type RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import type { CronChild } from '@manta/plan';
import { createInformer, type Informer, toKey, type World } from '@manta/runtime';
import { namedRecord, withoutManagedFields } from './child-records.ts';

/** Local copies of schedules, and of the RayJobs that they made where anybody asks for those. */
export interface RayCronJobCache {
  readonly cronJobs: Informer<RayCronJob>;
  readonly children: Informer<CronChildRecord, 'cronJob'> | undefined;
}

/** A child that knows the schedule whose label it carries: `namespace/name`. */
export type CronChildRecord = CronChild & { readonly cronJob: string };

export interface RayCronJobCacheOptions {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly hasChildren: boolean;
}

export function createRayCronJobCache(
  world: World,
  { namespaces, hasChildren }: RayCronJobCacheOptions,
): RayCronJobCache {
  return {
    cronJobs: createInformer(world, { type: resources.rayCronJobs, namespaces, project: withoutManagedFields }),
    children: hasChildren
      ? createInformer(world, {
          type: resources.rayJobs,
          namespaces,
          labelSelector: Label.CronJobName,
          project: cronChildRecord,
          indexes: { cronJob: ({ cronJob }) => [cronJob] },
        })
      : undefined,
  };
}

/** What is kept of a RayJob that a schedule made. */
export function cronChildRecord(job: RayJob): CronChildRecord {
  const { metadata = {}, status } = job;
  const { namespace = '', labels, annotations } = metadata;
  const scheduledAt = Date.parse(annotations?.[Annotation.CronJobScheduledTimestamp] ?? '');
  return {
    ...namedRecord(job),
    scheduledAt: Number.isNaN(scheduledAt) ? Date.parse(metadata.creationTimestamp ?? '') : scheduledAt,
    isTerminating: metadata.deletionTimestamp !== undefined,
    outcome: outcomeOf(status?.jobDeploymentStatus),
    cronJob: toKey(namespace, labels?.[Label.CronJobName] ?? ''),
  };
}

/** A job that can't be run is as good as failed: waiting for its end would be waiting for ever. */
function outcomeOf(status: JobDeploymentStatus | undefined): CronChild['outcome'] {
  if (status === JobDeploymentStatus.Complete) return 'succeeded';
  return status === JobDeploymentStatus.Failed || status === JobDeploymentStatus.ValidationFailed
    ? 'failed'
    : 'running';
}
