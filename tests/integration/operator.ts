import { defaultFeatureGates, type FeatureGates, readOperatorEnv } from '@manta/api';
import { type Clock, type KubeClient, systemClock } from '@manta/kube';
import type { PodDefaults } from '@manta/plan';
import { RayCallError, type RaySend } from '@manta/ray';
import { createManager, createMetricsRegistry, silentLogger, type World } from '@manta/runtime';
import { createControllers } from '../../packages/operator/src/controllers/controllers.ts';
import type { OperatorOptions } from '../../packages/operator/src/options/options.ts';
import { operatorOptions, PLAIN_CLUSTER } from '../support/operator-options.ts';

/** The operator's controllers at work in this process. */
export interface RunningOperator {
  stop(): Promise<void>;
}

export interface OperatorSettings {
  /** The namespaces that it works in. */
  readonly namespaces: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly gates?: Partial<FeatureGates>;
  readonly podDefaults?: PodDefaults;
  /** As the Configuration file says it. */
  readonly deleteRayJobAfterJobFinishes?: boolean;
  readonly sendToRay?: RaySend;
  /** What it says of itself, and stamps on what it makes. */
  readonly version?: string;
  /** Dashboards are asked through the API server. */
  readonly throughApiServer?: boolean;
  /** The system's unless given. */
  readonly clock?: Clock;
}

/** Runs the operator's controllers with this client until they are stopped. */
export function startControllers(client: KubeClient, settings: OperatorSettings): RunningOperator {
  const world: World = {
    clock: settings.clock ?? systemClock,
    client,
    random: Math.random,
    log: silentLogger,
    metrics: createMetricsRegistry(),
  };
  const stop = new AbortController();
  const { controllers, informers, events, poller } = createControllers(world, {
    options: optionsFor(settings),
    env: readOperatorEnv(settings.env ?? {}),
    version: settings.version ?? '0.0.0-integration',
    facts: PLAIN_CLUSTER,
    hostname: 'integration',
    sendToRay: settings.sendToRay ?? nobodyAnswers,
  });
  const running = createManager(world, { informers, controllers }).run(stop.signal);
  return {
    stop: async () => {
      stop.abort();
      await running;
      poller.close();
      await events.stop(1_000);
    },
  };
}

const nobodyAnswers: RaySend = async ({ method, url }) => {
  throw new RayCallError(`${method} ${url}: nobody answers`, { failure: 'unreachable', method, url, didNothing: true });
};

function optionsFor(settings: OperatorSettings): OperatorOptions {
  const {
    namespaces,
    gates,
    podDefaults = {},
    throughApiServer = false,
    deleteRayJobAfterJobFinishes = false,
  } = settings;
  return operatorOptions({
    concurrency: 8,
    watchNamespaces: namespaces,
    podDefaults,
    useKubernetesProxy: throughApiServer,
    deleteRayJobAfterJobFinishes,
    gates: { ...defaultFeatureGates(), ...gates },
  });
}
