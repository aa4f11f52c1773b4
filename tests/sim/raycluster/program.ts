import { readOperatorEnv } from '@manta/api';
import { sleep } from '@manta/kube';
import {
  createLeaderElector,
  createLeadership,
  createManager,
  createMetricsRegistry,
  LeadershipLostError,
  type Leadership,
  type World,
} from '@manta/runtime';
import { createControllers } from '../../../packages/operator/src/controllers/controllers.ts';
import { operatorOptions, PLAIN_CLUSTER } from '../../support/operator-options.ts';
import type { Outside, Program } from '../scenario.ts';
import { makingOf, type Mistake } from './mistakes.ts';
import { rayOf } from './ray.ts';
import { GATES } from './spec-edits.ts';
import { NAMESPACE } from './stage.ts';

/** What a container takes to come back. */
const RESTART_MS = 1_000;

const options = operatorOptions({ gates: GATES });

/** How the operator runs. */
export interface ProgramOptions {
  readonly mistake: Mistake | undefined;
  readonly isElected: boolean;
}

/**
 * The operator's controllers as they are, between a world and a manager. A mistake is made by what stands between them and the API
 * server, or by a setting: what they then see and do is what they would with that mistake in them.
 */
export function operatorProgram(how: ProgramOptions): Program {
  return { name: 'operator', run: (world, stop, outside) => keepRunning(world, stop, outside, how) };
}

/** An operator that has lost its lease ends, and is started again as a kubelet would. */
async function keepRunning(world: World, stop: AbortSignal, outside: Outside, how: ProgramOptions): Promise<void> {
  while (!stop.aborted) {
    try {
      await runOperator(world, stop, outside, how);
      return;
    } catch (error) {
      if (!(error instanceof LeadershipLostError)) throw error;
      await sleep(world.clock, RESTART_MS, stop).catch(() => undefined);
    }
  }
}

async function runOperator(world: World, stop: AbortSignal, outside: Outside, how: ProgramOptions): Promise<void> {
  const { env = {}, client = (inner) => inner } = makingOf(how.mistake);
  const sendToRay = rayOf(outside);
  const input = {
    options,
    env: readOperatorEnv(env),
    version: '0.0.0-sim',
    facts: PLAIN_CLUSTER,
    hostname: 'sim',
    sendToRay,
  };
  const mistaken: World = { ...world, client: client(world.client, world) };
  const made = createControllers(mistaken, input);
  const controllers = made.controllers.filter(({ name }) => name === 'raycluster');
  const informers = made.informers.filter(({ type }) => KINDS.includes(type.kind));
  const leadership = how.isElected ? electionOf(world) : undefined;
  try {
    await createManager(mistaken, { informers, controllers, leadership }).run(stop);
  } finally {
    made.poller.close();
    await made.events.stop(1_000);
  }
}

/** What the RayCluster controller works with; others have no part in this play. */
const KINDS =
  'RayCluster Pod Service Job Secret Ingress PersistentVolumeClaim PodDisruptionBudget ServiceAccount Role RoleBinding'.split(
    ' ',
  );

function electionOf(world: World): Leadership {
  const identity = `operator_${Math.floor(world.random() * 1e9)}`;
  const lease = { name: 'ray-operator-leader', namespace: NAMESPACE };
  return createLeadership(createLeaderElector({ ...world, metrics: createMetricsRegistry(), lease, identity }));
}
