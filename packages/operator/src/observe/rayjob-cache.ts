import type { RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import { clusterNameOf, withoutManagedFields } from '@manta/plan';
import { createInformer, type Informer, toKey, type World } from '@manta/runtime';

/** Local copies of RayJobs, findable by the cluster that they run on: `namespace/cluster`. */
export type RayJobCache = Informer<RayJob, 'cluster'>;

export function createRayJobCache(world: World, namespaces: readonly string[]): RayJobCache {
  return createInformer(world, {
    type: resources.rayJobs,
    namespaces,
    project: withoutManagedFields,
    indexes: {
      cluster: (job: RayJob) => {
        const cluster = clusterNameOf(job);
        return cluster === undefined ? [] : [toKey(job.metadata?.namespace ?? '', cluster)];
      },
    },
  });
}
