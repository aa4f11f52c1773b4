import { find } from '../lookup.ts';
import { missingRights, type RayRef, type World } from '../world.ts';
import type { Cause, Found, Why } from './cause.ts';
import { clusterCauses } from './cluster.ts';
import { cronCauses } from './cron.ts';
import { jobCauses } from './job.ts';
import { serviceCauses } from './service.ts';

/** Follows an object down to the one thing that blocks it. */
export function why(world: World, ref: RayRef): Why {
  const found = causesOf(world, ref);
  const rights = missingRights(world);
  if (found === undefined) return { ref, health: 'gone', chain: [], others: [], missingRights: rights };
  // A worker that waits for the head is a consequence, never the cause, when something is wrong.
  const [first, ...rest] = [
    ...found.filter(({ cause }) => cause.isProgress !== true),
    ...found.filter(({ cause }) => cause.isProgress === true),
  ];
  if (first === undefined) return { ref, health: 'healthy', chain: [], others: [], missingRights: rights };
  return {
    ref,
    health: first.cause.isProgress === true ? 'progressing' : 'unhealthy',
    chain: first.links,
    cause: first.cause,
    others: distinct(first.cause, rest),
    missingRights: rights,
  };
}

function causesOf(world: World, { kind, namespace, name }: RayRef): readonly Found[] | undefined {
  switch (kind) {
    case 'RayCluster': {
      const cluster = find(world.rayClusters, namespace, name);
      return cluster && clusterCauses(cluster, world);
    }
    case 'RayJob': {
      const job = find(world.rayJobs, namespace, name);
      return job && jobCauses(job, world);
    }
    case 'RayService': {
      const service = find(world.rayServices, namespace, name);
      return service && serviceCauses(service, world);
    }
    case 'RayCronJob': {
      const cron = find(world.rayCronJobs, namespace, name);
      return cron && cronCauses(cron, world);
    }
  }
}

/** Other problems worth a line: other codes, and nothing that merely takes time. */
function distinct(cause: Cause, rest: readonly Found[]): readonly Cause[] {
  const codes = new Set<string>([cause.code]);
  return rest.flatMap(({ cause: other }) => {
    if (other.isProgress === true || codes.has(other.code)) return [];
    codes.add(other.code);
    return [other];
  });
}
