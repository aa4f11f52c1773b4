import { type KubeObject, Label, NodeType, type RayCluster, type RayClusterStatus } from '@manta/api';
import {
  type BuildContext,
  type ClusterMemory,
  type CreateAction,
  explainPod,
  isUrgentChange,
  NO_CLUSTER_MEMORY,
  type ObservedRayCluster,
  planRayCluster,
  type RayClusterNeeds,
  rayClusterNeeds,
  rememberRefusals,
  requeueAfterStatusMs,
  startupDigest,
} from '@manta/plan';
import { type Controller, createController, type EventRecorder, fromInformer, type World } from '@manta/runtime';
import type { ClusterFacts } from '../cluster/facts.ts';
import { FailingPods } from '../observe/failing-pods.ts';
import { watchForNewHead } from '../observe/head-changes.ts';
import { LastHolders } from '../observe/last-holders.ts';
import { type PkiCache, type PkiInformer, type PkiStates, pkiInformers, pkiKeys } from '../observe/pki-cache.ts';
import { informerOf, optionalInformers, type RayClusterCache } from '../observe/ray-cluster-cache.ts';
import { createRoomReader } from '../observe/node-room.ts';
import type { RayNodeLists } from '../observe/ray-node-lists.ts';
import { observeRayCluster, type RayClusterObserver } from '../observe/raycluster.ts';
import type { KindDefinition } from '../reconcile/kind-definition.ts';
import { createReconciler } from '../reconcile/reconciler.ts';
import type { StatusDebounce } from '../reconcile/status-debounce.ts';
import { installedIn } from './cluster-parts.ts';
import type { RayClusterMetrics } from './raycluster-metrics.ts';
import { rayClusterSources } from './raycluster-sources.ts';

export interface RayClusterControllerOptions {
  readonly context: BuildContext;
  readonly facts: ClusterFacts;
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly concurrency: number;
  /** Absent: the operator does not ask Ray for its nodes. */
  readonly nodes?: RayNodeLists;
  /** Absent: no cluster has mutual TLS. */
  readonly pki?: { readonly states: PkiStates; readonly cache: PkiCache } | undefined;
  readonly metrics?: RayClusterMetrics;
}

/** How soon to check for the end of something that our caches do not show. */
const WAIT_MS = 2000;

/** Maximum backoff for a failing cluster, so that it recovers within a minute once the cause is fixed. */
const BACKOFF = { initialMs: 5, factor: 2, maxMs: 60_000 } as const;

/** The first status waits until the cluster has started or nothing changes any more; later changes wait up to a second. */
const STATUS_DEBOUNCE: StatusDebounce<RayCluster, RayClusterStatus> = {
  isUrgent: ({ status }, after, outcome) => outcome.kind === 'failed' || isUrgentChange(status, after),
  windowMs: 1_000,
  windowStart: 'last-write',
  first: { quietMs: 800, maxMs: 3_000, digest: startupDigest },
};

export function createRayClusterController(world: World, options: RayClusterControllerOptions): Controller {
  const { cache, pki } = options;
  const pkiObjects: readonly PkiInformer<KubeObject>[] = pki === undefined ? [] : pkiInformers(pki.cache);
  return createController(world, {
    name: 'raycluster',
    kind: 'RayCluster',
    concurrency: options.concurrency,
    queue: { backoff: BACKOFF },
    required: [cache.clusters],
    // Without permission to read pods or Services the operator can still report that in the cluster's status.
    optional: [cache.pods, cache.services, ...optionalInformers(cache), ...pkiObjects],
    sources: [...rayClusterSources(cache), ...pkiObjects.map((informer) => fromInformer(informer, { keys: pkiKeys }))],
    reconcile: createReconciler(world, rayClusterDefinition(world, options)),
  });
}

function rayClusterDefinition(
  { client, clock }: World,
  options: RayClusterControllerOptions,
): KindDefinition<ObservedRayCluster, RayClusterStatus, ClusterMemory, RayClusterNeeds> {
  const { cache, context, events, facts, metrics, nodes, pki } = options;
  const now = () => clock.now();
  const startedAt = now();
  const lastHolders = new LastHolders(cache.pods);
  const failingPods = new FailingPods(cache.pods, now, context.env);
  const room = createRoomReader(client, now);
  const installed = installedIn(facts, pki?.cache);
  const observer: RayClusterObserver = { cache, client, lastHolders, failingPods, context, installed, now };
  return {
    kind: 'RayCluster',
    events,
    informerOf: (kind) => informerOf(cache, kind),
    emptyMemory: NO_CLUSTER_MEMORY,
    async observe(reconcile) {
      const observed = await observeRayCluster(observer, reconcile);
      for (const pod of observed?.pods ?? []) reconcile.log.debug('Checked a pod', explainPod(pod, context.env));
      return observed;
    },
    objectOf: ({ cluster }) => cluster,
    needs: (observed) => rayClusterNeeds(observed, startedAt),
    async read(observed, needs, { key, signal }) {
      const certificates = needs.certificates ? await pki?.states.of(observed.cluster, signal) : undefined;
      const rayNodes = await nodes?.of(key, observed.cluster, needs.nodeListsOf, signal);
      const headRoom = needs.roomFor === undefined ? undefined : await room.of(needs.roomFor, signal);
      const isNothingRead =
        certificates === undefined && headRoom === undefined && (rayNodes === undefined || rayNodes.size === 0);
      return isNothingRead
        ? observed
        : { ...observed, pki: certificates, headRoom, rayNodes: rayNodes ?? observed.rayNodes };
    },
    plan: planRayCluster,
    remember: rememberRefusals,
    debounce: STATUS_DEBOUNCE,
    deduplicatesEvents: true,
    requeueAfterStatusMs,
    retry: {
      waitingMs: (outcome, plan) =>
        Math.min(outcome.requeueAfterMs ?? WAIT_MS, plan.requeueAfterMs ?? Number.POSITIVE_INFINITY),
    },
    watchForChange(key) {
      const hasNewHead = watchForNewHead(cache, key);
      return (action) => createsHead(action) && hasNewHead();
    },
    statusWritten: (cluster, status, writtenAt) => metrics?.wrote(cluster, status, writtenAt),
    forget(key) {
      lastHolders.forget(key);
      nodes?.forget(key);
      pki?.states.forget(key);
      metrics?.forget(key);
    },
  };
}

/** By its label: a worker group may have the name of the head group. */
function createsHead({ objects }: CreateAction): boolean {
  return objects.some(({ metadata }) => metadata?.labels?.[Label.NodeType] === NodeType.Head);
}
