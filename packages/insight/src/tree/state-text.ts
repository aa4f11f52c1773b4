import { find } from '../lookup.ts';
import { clusterSays } from '../why/cluster.ts';
import { cronSays } from '../why/cron.ts';
import { jobSays } from '../why/job.ts';
import { serviceSays } from '../why/service.ts';
import type { RayRef, World } from '../world.ts';

/** The state of a Ray object in a few words. */
export function stateText(world: World, { kind, namespace, name }: RayRef): string {
  switch (kind) {
    case 'RayCluster': {
      const cluster = find(world.rayClusters, namespace, name);
      return cluster === undefined ? '' : clusterSays(cluster);
    }
    case 'RayJob': {
      const job = find(world.rayJobs, namespace, name);
      return job === undefined ? '' : jobSays(job);
    }
    case 'RayService': {
      const service = find(world.rayServices, namespace, name);
      return service === undefined ? '' : serviceSays(service);
    }
    case 'RayCronJob': {
      const cron = find(world.rayCronJobs, namespace, name);
      return cron === undefined ? '' : cronSays(cron);
    }
  }
}
