import type { ResourceQuota } from '@manta/api';
import {
  EMPTY_WORLD,
  type GatewayClass,
  itemsOf,
  type QueuedWorkload,
  type World,
  type WorldEvent,
} from '@manta/insight';
import { type ResourceType, resources } from '@manta/kube';
import type { Gateway, HttpRoute } from '@manta/plan';
import type { Invocation } from '../invocation.ts';
import { askRay, type RayQuestions } from './ask-ray.ts';
import { failingLogs } from './failing-logs.ts';
import { readPart } from './read-part.ts';

const GATEWAY_API = 'gateway.networking.k8s.io';
const events: ResourceType<WorldEvent> = resources.events;
const gateways: ResourceType<Gateway> = resources.gateways;
const httpRoutes: ResourceType<HttpRoute> = resources.httpRoutes;
const quotas: ResourceType<ResourceQuota> = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  isNamespaced: true,
};
const gatewayClasses: ResourceType<GatewayClass> = {
  group: GATEWAY_API,
  version: 'v1',
  plural: 'gatewayclasses',
  kind: 'GatewayClass',
  isNamespaced: false,
};
const workloads: ResourceType<QueuedWorkload> = {
  group: 'kueue.x-k8s.io',
  version: 'v1beta1',
  plural: 'workloads',
  kind: 'Workload',
  isNamespaced: true,
};

/** How much to read besides objects. */
export interface CollectOptions {
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  /** Read the last lines of containers that failed. */
  readonly withLogs?: boolean;
  /** What to ask which Ray heads. */
  readonly questions?: (world: World) => readonly RayQuestions[];
}

/** Reads what the user may read, in parallel. Parts that the user may not read say which right is missing. */
export async function collectWorld(call: Invocation, options: CollectOptions): Promise<World> {
  const { namespace } = options;
  const client = await call.client();
  const [rayClusters, rayJobs, rayServices, rayCronJobs, pods, nodes, eventPart, services, endpointSlices] =
    await Promise.all([
      readPart(client, resources.rayClusters, namespace),
      readPart(client, resources.rayJobs, namespace),
      readPart(client, resources.rayServices, namespace),
      readPart(client, resources.rayCronJobs, namespace),
      readPart(client, resources.pods, namespace),
      readPart(client, resources.nodes, namespace),
      readPart(client, events, namespace),
      readPart(client, resources.services, namespace),
      readPart(client, resources.endpointSlices, namespace),
    ]);
  const [quotaPart, jobs, claims, gatewayPart, routePart, classPart, workloadPart] = await Promise.all([
    readPart(client, quotas, namespace),
    readPart(client, resources.jobs, namespace),
    readPart(client, resources.persistentVolumeClaims, namespace),
    readPart(client, gateways, namespace),
    readPart(client, httpRoutes, namespace),
    readPart(client, gatewayClasses, namespace),
    readPart(client, workloads, namespace),
  ]);
  const world: World = {
    ...EMPTY_WORLD,
    now: call.world.clock.now(),
    rayClusters,
    rayJobs,
    rayServices,
    rayCronJobs,
    pods,
    nodes,
    events: eventPart,
    services,
    endpointSlices,
    quotas: quotaPart,
    jobs,
    claims,
    gateways: gatewayPart,
    httpRoutes: routePart,
    gatewayClasses: classPart,
    workloads: workloadPart,
  };
  const [logs, ray] = await Promise.all([
    options.withLogs === true ? failingLogs(call, itemsOf(pods)) : world.logs,
    options.questions === undefined ? world.ray : askRay(call, options.questions(world)),
  ]);
  return { ...world, logs, ray };
}
