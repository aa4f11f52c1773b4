import { type OperatorEnv, ReportingController } from '@manta/api';
import {
  type Controller,
  createEventBroadcaster,
  type EventBroadcaster,
  type Informer,
  type World,
} from '@manta/runtime';
import type { ClusterFacts } from '../cluster/facts.ts';
import type { OperatorOptions } from '../options/options.ts';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createRayClusterController } from './raycluster.ts';

/** What controllers are made from. */
export interface ControllersInput {
  readonly options: OperatorOptions;
  readonly env: OperatorEnv;
  readonly version: string;
  readonly facts: ClusterFacts;
  readonly hostname: string;
}

export interface Controllers {
  readonly controllers: readonly Controller[];
  readonly informers: readonly Informer[];
  /** Flush it when the controllers have ended. */
  readonly events: EventBroadcaster;
}

/** Every controller of the operator and what they share. */
export function createControllers(world: World, input: ControllersInput): Controllers {
  const { options, env, version, facts, hostname } = input;
  const events = createEventBroadcaster({ ...world, hostname });
  const context = { env, gates: options.gates, operatorVersion: version, podDefaults: options.podDefaults };
  const cache = createRayClusterCache(world, {
    namespaces: options.watchNamespaces,
    hasClaims: context.gates.GCSFaultToleranceEmbeddedStorage,
    hasRoutes: facts.isOpenShift && !env.ingressOnOpenShift,
  });
  const raycluster = createRayClusterController(world, {
    context,
    facts,
    events: events.recorder(ReportingController.RayCluster),
    cache,
    concurrency: options.concurrency,
  });
  return { controllers: [raycluster], informers: [...requiredInformers(cache), ...optionalInformers(cache)], events };
}
