import { readOperatorEnv } from '@manta/api';
import { createManager, type World } from '@manta/runtime';
import { createControllers } from '../../../packages/operator/src/controllers/controllers.ts';
import { operatorOptions, PLAIN_CLUSTER } from '../../support/operator-options.ts';
import type { Outside, Program } from '../scenario.ts';
import { makingOf, type Mistake } from './mistakes.ts';
import { operatorClock } from './operator-clock.ts';
import { sendToRay } from './send-to-ray.ts';

const options = operatorOptions();

/** What the RayJob controller works with; clusters and pods are the environment's. */
const KINDS = ['RayJob', 'RayCluster', 'Pod', 'Service', 'Job', 'Secret'];

/** The operator's RayJob controller as it is; a mistake is made by what stands between it and its world. */
export function jobProgram(mistake: Mistake | undefined): Program {
  return { name: 'operator', run: (world, stop, outside) => runOperator(world, stop, outside, mistake) };
}

async function runOperator(
  world: World,
  stop: AbortSignal,
  outside: Outside,
  mistake: Mistake | undefined,
): Promise<void> {
  const { client = (inner) => inner, send = (inner) => inner } = makingOf(mistake);
  const clock = operatorClock(world.clock, outside.backstage);
  const mistaken: World = { ...world, clock, client: client(world.client, world) };
  const input = { options, env: readOperatorEnv({}), version: '0.0.0-sim', facts: PLAIN_CLUSTER, hostname: 'sim' };
  const made = createControllers(mistaken, { ...input, sendToRay: send(sendToRay(outside), world, outside.backstage) });
  const controllers = made.controllers.filter(({ name }) => name === 'rayjob');
  const informers = made.informers.filter(({ type }) => KINDS.includes(type.kind));
  try {
    await createManager(mistaken, { informers, controllers, leadership: undefined }).run(stop);
  } finally {
    made.poller.close();
    await made.events.stop(1_000);
  }
}
