import { type OperatorEnv, ReportingController } from '@manta/api';
import type { RayPoller, RaySend } from '@manta/ray';
import {
  type Controller,
  createEventBroadcaster,
  type EventBroadcaster,
  type Informer,
  type World,
} from '@manta/runtime';
import type { ClusterFacts } from '../cluster/facts.ts';
import { parseKubernetesYaml, parseWholeYaml } from '../kubernetes-yaml.ts';
import { createRayClusterCache, optionalInformers, requiredInformers } from '../observe/ray-cluster-cache.ts';
import { createRayNodeLists } from '../observe/ray-node-lists.ts';
import { createRayCronJobCache } from '../observe/raycronjob-cache.ts';
import { createRayJobCache } from '../observe/rayjob-cache.ts';
import { createSubmitterPods } from '../observe/submitter-pods.ts';
import { createRayServiceCache, rayServiceInformers } from '../observe/rayservice-cache.ts';
import type { OperatorOptions } from '../options/options.ts';
import type { YamlOffLoop } from '../yaml-process.ts';
import { createPartControllers, createPki } from './cluster-parts.ts';
import { createRayAccess } from './ray-access.ts';
import { createRayClusterController } from './raycluster.ts';
import { exportRayClusterMetrics } from './raycluster-metrics.ts';
import { createRayCronJobController } from './raycronjob.ts';
import { createRayJobController } from './rayjob.ts';
import { exportRayJobMetrics, NO_JOB_METRICS } from './rayjob-metrics.ts';
import { createRayServiceController } from './rayservice.ts';
import { exportRayServiceMetrics } from './rayservice-metrics.ts';

/** Inputs of all controllers. */
export interface ControllersInput {
  readonly options: OperatorOptions;
  readonly env: OperatorEnv;
  readonly version: string;
  readonly facts: ClusterFacts;
  readonly hostname: string;
  /** The operator's own namespace; absent if it runs outside of the cluster. */
  readonly ownNamespace?: string | undefined;
  /** How requests travel to Ray heads. */
  readonly sendToRay: RaySend;
  /** The Kubernetes token for Ray clusters that take such. */
  readonly rayToken?: () => Promise<string | undefined>;
  /** Parses long YAML; absent: it is parsed on the event loop. */
  readonly yamlOffLoop?: YamlOffLoop | undefined;
}

export interface Controllers {
  readonly controllers: readonly Controller[];
  readonly informers: readonly Informer[];
  /** Flush it when the controllers have ended. */
  readonly events: EventBroadcaster;
  /** Asks Ray; close it when the controllers have ended. */
  readonly poller: RayPoller;
}

/** Every controller of the operator and what they share. */
export function createControllers(world: World, input: ControllersInput): Controllers {
  const { options, env, version, facts, hostname } = input;
  const events = createEventBroadcaster({ ...world, hostname });
  const context = {
    env: withConfiguredSettings(env, options),
    gates: options.gates,
    operatorVersion: version,
    podDefaults: options.podDefaults,
    batchScheduler: options.batchScheduler,
    isSecure: options.isSecure === true,
    asksThroughApiServer: options.useKubernetesProxy,
    operatorNamespace: input.ownNamespace,
  };
  const cache = createRayClusterCache(world, {
    namespaces: options.watchNamespaces,
    hasClaims: context.gates.GCSFaultToleranceEmbeddedStorage,
    hasRoutes: facts.isOpenShift && !env.ingressOnOpenShift,
    hasBudgets: env.headDisruptionBudget,
    batchScheduler: options.batchScheduler,
  });
  const ray = createRayAccess(world, {
    cache,
    send: input.sendToRay,
    clusterDomain: env.clusterDomain,
    throughApiServer: options.useKubernetesProxy,
    rayToken: input.rayToken,
  });
  const pki = createPki(world, input);
  const raycluster = createRayClusterController(world, {
    context,
    pki,
    facts,
    events: events.recorder(ReportingController.RayCluster),
    cache,
    concurrency: options.concurrency,
    nodes: createRayNodeLists({ ...ray, throughApiServer: options.useKubernetesProxy }),
    ...(options.areRayMetricsOn ? { metrics: exportRayClusterMetrics(world.metrics, cache.clusters) } : {}),
  });
  ray.tell('raycluster', raycluster);
  const jobs = createRayJobCache(world, options.watchNamespaces);
  const submitterPods = createSubmitterPods(world, options.watchNamespaces);
  const rayjob = createRayJobController(world, {
    submitterPods,
    context,
    events: events.recorder(ReportingController.RayJob),
    cache,
    jobs,
    heads: ray.heads,
    poller: ray.poller,
    parseYaml: parseKubernetesYaml,
    concurrency: options.concurrency,
    metrics: options.areRayMetricsOn ? exportRayJobMetrics(world.metrics, jobs) : NO_JOB_METRICS,
  });
  ray.tell('rayjob', rayjob);
  const serviceCache = createRayServiceCache(world, {
    namespaces: options.watchNamespaces,
    gates: options.gates,
    hasNodes: env.upgradeCapacityCheck,
  });
  const rayservice = createRayServiceController(world, {
    context,
    events: events.recorder(ReportingController.RayService),
    cache,
    serviceCache,
    ray,
    parseYaml: parseWholeYaml,
    yamlOffLoop: input.yamlOffLoop,
    concurrency: options.concurrency,
  });
  ray.tell('rayservice', rayservice);
  if (options.areRayMetricsOn) exportRayServiceMetrics(world.metrics, serviceCache.rayServices);
  const parts = createPartControllers(world, { options, facts, context, cache, events, pki });
  const raycronjob = cronController(world, options, events);
  return {
    controllers: [raycluster, rayjob, rayservice, ...parts.controllers, ...raycronjob.controllers],
    informers: [
      ...requiredInformers(cache),
      ...optionalInformers(cache),
      jobs,
      submitterPods,
      ...rayServiceInformers(serviceCache),
      ...parts.informers,
      ...raycronjob.informers,
    ],
    events,
    poller: ray.poller,
  };
}

/** Runs without the gate as well: it then only reports on each schedule that the gate is off. */
function cronController(
  world: World,
  { gates, watchNamespaces, concurrency }: OperatorOptions,
  events: EventBroadcaster,
): Pick<Controllers, 'controllers' | 'informers'> {
  const cache = createRayCronJobCache(world, {
    namespaces: watchNamespaces,
    hasChildren: gates.RayCronJob && gates.RayCronJobPolicies,
    isOptional: !gates.RayCronJob,
  });
  const recorder = events.recorder(ReportingController.RayCronJob);
  return {
    controllers: [createRayCronJobController(world, { gates, events: recorder, cache, concurrency })],
    informers: [cache.cronJobs, cache.children].filter((informer) => informer !== undefined),
  };
}

/** The Configuration file may ask for what otherwise only the environment does. */
function withConfiguredSettings(env: OperatorEnv, options: OperatorOptions): OperatorEnv {
  return {
    ...env,
    deleteRayJobAfterJobFinishes: env.deleteRayJobAfterJobFinishes || options.deleteRayJobAfterJobFinishes,
  };
}
