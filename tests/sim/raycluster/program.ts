import { defaultFeatureGates, LogEncoder, readOperatorEnv } from '@manta/api';
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
import type { OperatorOptions } from '../../../packages/operator/src/options/options.ts';
import type { Program } from '../scenario.ts';
import { makingOf, type Mistake } from './mistakes.ts';
import { NAMESPACE } from './stage.ts';

/** What a container takes to come back. */
const RESTART_MS = 1_000;

const options: OperatorOptions = {
  metricsAddress: '',
  probeAddress: '',
  isLeaderElectionOn: false,
  leaderElectionNamespace: '',
  concurrency: 4,
  watchNamespaces: [],
  log: {
    encoder: LogEncoder.Json,
    file: '',
    fileEncoder: LogEncoder.Json,
    isDevelopment: false,
    level: undefined,
    stacktraceLevel: undefined,
  },
  batchScheduler: undefined,
  podDefaults: {},
  useKubernetesProxy: false,
  deleteRayJobAfterJobFinishes: false,
  areRayMetricsOn: false,
  rateLimit: undefined,
  gates: defaultFeatureGates(),
  kubeconfig: '',
  notes: [],
};

const facts = {
  kubernetes: [1, 34, 0],
  gitVersion: 'v1.34.0',
  isOpenShift: false,
  hasCertManager: false,
  workloadSchedulingVersion: undefined,
} as const;

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
  return { name: 'operator', run: (world, stop) => keepRunning(world, stop, how) };
}

/** An operator that has lost its lease ends, and is started again as a kubelet would. */
async function keepRunning(world: World, stop: AbortSignal, how: ProgramOptions): Promise<void> {
  while (!stop.aborted) {
    try {
      await runOperator(world, stop, how);
      return;
    } catch (error) {
      if (!(error instanceof LeadershipLostError)) throw error;
      await sleep(world.clock, RESTART_MS, stop).catch(() => undefined);
    }
  }
}

async function runOperator(world: World, stop: AbortSignal, { mistake, isElected }: ProgramOptions): Promise<void> {
  const { env = {}, client = (inner) => inner } = makingOf(mistake);
  const input = { options, env: readOperatorEnv(env), version: '0.0.0-sim', facts, hostname: 'sim', sendToRay };
  const mistaken: World = { ...world, client: client(world.client, world) };
  const { controllers, informers, events } = createControllers(mistaken, input);
  const leadership = isElected ? electionOf(world) : undefined;
  try {
    await createManager(mistaken, { informers, controllers, leadership }).run(stop);
  } finally {
    await events.stop(1_000);
  }
}

/** There are no Ray processes behind these pods. */
async function sendToRay(): Promise<never> {
  throw new Error('nothing listens here');
}

function electionOf(world: World): Leadership {
  const identity = `operator_${Math.floor(world.random() * 1e9)}`;
  const lease = { name: 'ray-operator-leader', namespace: NAMESPACE };
  return createLeadership(createLeaderElector({ ...world, metrics: createMetricsRegistry(), lease, identity }));
}
