import { Label, type RayCronJob } from '@manta/api';
import { resources } from '@manta/kube';
import { type CronChildRecord, cronChildRecord, withoutManagedFields } from '@manta/plan';
import { createInformer, type Informer, type World } from '@manta/runtime';

/** Caches of RayCronJobs and, if their policies are enabled, of the RayJobs that they created. */
export interface RayCronJobCache {
  readonly cronJobs: Informer<RayCronJob>;
  readonly children: Informer<CronChildRecord, 'cronJob'> | undefined;
}

export interface RayCronJobCacheOptions {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly hasChildren: boolean;
  /** True: the gate is off, and an installation may well do without the kind. Absent: false. */
  readonly isOptional?: boolean;
}

export function createRayCronJobCache(
  world: World,
  { namespaces, hasChildren, isOptional = false }: RayCronJobCacheOptions,
): RayCronJobCache {
  return {
    cronJobs: createInformer(world, {
      type: resources.rayCronJobs,
      namespaces,
      project: withoutManagedFields,
      isForeign: isOptional,
      isSilentWhenAbsent: isOptional,
    }),
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
