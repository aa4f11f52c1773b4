import { EMPTY_WORLD, type Part, type World } from '@manta/insight';
import type { StreamedKind } from '@manta/console/protocol';
import type { KindTypes, LiveState } from './store.ts';

/** The page's data as the input of `why`: kinds that the viewer may not read say so. */
export function worldOf({ access, objects }: LiveState, now: number): World {
  const part = <K extends StreamedKind>(kind: K): Part<KindTypes[K]> => {
    const denied = access.find((each) => each.kind === kind)?.denied;
    return denied === undefined
      ? { kind: 'seen', items: [...objects[kind].values()] }
      : { kind: 'unreadable', right: denied };
  };
  return {
    ...EMPTY_WORLD,
    now,
    rayClusters: part('RayCluster'),
    rayJobs: part('RayJob'),
    rayServices: part('RayService'),
    rayCronJobs: part('RayCronJob'),
    pods: part('Pod'),
    nodes: part('Node'),
    events: part('Event'),
  };
}
