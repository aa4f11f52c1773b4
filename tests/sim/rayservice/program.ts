import { defaultFeatureGates, LogEncoder, readOperatorEnv } from '@manta/api';
import { createManager, type World } from '@manta/runtime';
import { createControllers } from '../../../packages/operator/src/controllers/controllers.ts';
import type { OperatorOptions } from '../../../packages/operator/src/options/options.ts';
import type { Outside, Program } from '../scenario.ts';
import { operatorClock } from '../rayjob/operator-clock.ts';
import { makingOf, type Mistake } from './mistakes.ts';
import { serveSend } from './serve.ts';

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
  gates: { ...defaultFeatureGates(), RayServiceIncrementalUpgrade: true, RayCronJob: false },
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

/** What the RayService controller works with. Clusters are looked after by the environment, which does it well. */
const KINDS = ['RayService', 'RayCluster', 'Pod', 'Service', 'EndpointSlice', 'Gateway', 'HTTPRoute'];

/** The operator's RayService controller as it is; a mistake is made by what stands between it and its world. */
export function serviceProgram(mistake: Mistake | undefined): Program {
  return { name: 'operator', run: (world, stop, outside) => runOperator(world, stop, outside, mistake) };
}

async function runOperator(
  world: World,
  stop: AbortSignal,
  outside: Outside,
  mistake: Mistake | undefined,
): Promise<void> {
  const { client = (inner) => inner, send = (inner) => inner } = makingOf(mistake);
  const input = {
    options,
    env: readOperatorEnv({}),
    version: '0.0.0-sim',
    facts,
    hostname: 'sim',
    sendToRay: send(serveSend(outside)),
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
