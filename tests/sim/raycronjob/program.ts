import { defaultFeatureGates, ReportingController } from '@manta/api';
import { createEventBroadcaster, createManager, type World } from '@manta/runtime';
import { createRayCronJobController } from '../../../packages/operator/src/controllers/raycronjob.ts';
import { createRayCronJobCache } from '../../../packages/operator/src/observe/raycronjob-cache.ts';
import type { Outside, Program } from '../scenario.ts';
import { makingOf, type Mistake } from './mistakes.ts';
import { operatorClock } from './operator-clock.ts';

const gates = { ...defaultFeatureGates(), RayCronJob: true, RayCronJobPolicies: true };

/** The operator's RayCronJob controller as it is; a mistake is made by what stands between it and its world. */
export function cronProgram(mistake: Mistake | undefined): Program {
  return { name: 'operator', run: (world, stop, outside) => runOperator(world, stop, outside, mistake) };
}

async function runOperator(
  world: World,
  stop: AbortSignal,
  { backstage }: Outside,
  mistake: Mistake | undefined,
): Promise<void> {
  const { client = (inner) => inner, clock = (inner) => inner } = makingOf(mistake);
  const mistaken: World = { ...world, client: client(world.client, world) };
  const events = createEventBroadcaster({ ...world, hostname: 'sim' });
  const cache = createRayCronJobCache(mistaken, { namespaces: [], hasChildren: true });
  const timed: World = { ...mistaken, clock: clock(operatorClock(world.clock, backstage)) };
  const recorder = events.recorder(ReportingController.RayCronJob);
  const controller = createRayCronJobController(timed, { gates, events: recorder, cache, concurrency: 2 });
  const informers = [cache.cronJobs, cache.children].filter((informer) => informer !== undefined);
  try {
    await createManager(mistaken, { informers, controllers: [controller], leadership: undefined }).run(stop);
  } finally {
    await events.stop(1_000);
  }
}
