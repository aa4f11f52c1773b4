import { defaultFeatureGates, readOperatorEnv } from '@manta/api';
import type { RaySend } from '@manta/ray';
import { createManager, type World } from '@manta/runtime';
import { createControllers } from '../../../packages/operator/src/controllers/controllers.ts';
import { operatorOptions, PLAIN_CLUSTER } from '../../support/operator-options.ts';
import type { Outside, Program } from '../scenario.ts';
import { operatorClock } from '../rayjob/operator-clock.ts';
import { makingOf, type Mistake } from './mistakes.ts';
import { serveSend } from './serve.ts';

const options = operatorOptions({
  gates: { ...defaultFeatureGates(), RayServiceIncrementalUpgrade: true, RayCronJob: false },
});

/** What the RayService controller works with. Clusters are looked after by the environment, which does it well. */
const KINDS = ['RayService', 'RayCluster', 'Pod', 'Service', 'EndpointSlice', 'Gateway', 'HTTPRoute'];

/** The operator's RayService controller as it is; a mistake is made by what stands between it and its world. */
export function serviceProgram(mistake: Mistake | undefined, listen: Listen = (inner) => inner): Program {
  return { name: 'operator', run: (world, stop, outside) => runOperator(world, stop, outside, mistake, listen) };
}

/** What stands between the operator and Ray. */
type Listen = (inner: RaySend, clock: World['clock']) => RaySend;

async function runOperator(
  world: World,
  stop: AbortSignal,
  outside: Outside,
  mistake: Mistake | undefined,
  listen: Listen,
): Promise<void> {
  const { client = (inner) => inner, send = (inner) => inner } = makingOf(mistake);
  const input = {
    options,
    env: readOperatorEnv({}),
    version: '0.0.0-sim',
    facts: PLAIN_CLUSTER,
    hostname: 'sim',
    sendToRay: send(listen(serveSend(outside), world.clock)),
  };
  const clock = operatorClock(world.clock, outside.backstage);
  const mistaken: World = { ...world, clock, client: client(world.client, world) };
  const made = createControllers(mistaken, input);
  const controllers = made.controllers.filter(({ name }) => name === 'rayservice');
  const informers = made.informers.filter(({ type }) => KINDS.includes(type.kind));
  try {
    await createManager(mistaken, { informers, controllers, leadership: undefined }).run(stop);
  } finally {
    made.poller.close();
    await made.events.stop(1_000);
  }
}
