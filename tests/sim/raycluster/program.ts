import { defaultFeatureGates, LogEncoder, readOperatorEnv } from '@manta/api';
import { createManager, type World } from '@manta/runtime';
import { createControllers } from '../../../packages/operator/src/controllers/controllers.ts';
import type { OperatorOptions } from '../../../packages/operator/src/options/options.ts';
import type { Program } from '../scenario.ts';
import { makingOf, type Mistake } from './mistakes.ts';

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

/**
 * The operator's controllers as they are, between a world and a manager. A mistake is made by what stands between them and the API
 * server, or by a setting: what they then see and do is what they would with that mistake in them.
 */
export function operatorProgram(mistake?: Mistake): Program {
  return { name: 'operator', run: (world, stop) => runOperator(world, stop, mistake) };
}

async function runOperator(world: World, stop: AbortSignal, mistake: Mistake | undefined): Promise<void> {
  const { env = {}, client = (inner) => inner } = makingOf(mistake);
  const input = { options, env: readOperatorEnv(env), version: '0.0.0-sim', facts, hostname: 'sim' };
  const mistaken: World = { ...world, client: client(world.client, world) };
  const { controllers, informers, events } = createControllers(mistaken, input);
  try {
    await createManager(mistaken, { informers, controllers }).run(stop);
  } finally {
    await events.stop(1_000);
  }
}
