import type { RayJobStatus, YamlParser } from '@manta/api';
import {
  afterRayJobProgress,
  type BuildContext,
  canDebounceStatus,
  EMPTY_RAYJOB_MEMORY,
  planRayJob,
  type RayJobMemory,
  type RayJobNeeds,
  rayJobNeeds,
} from '@manta/plan';
import type { RayPoller } from '@manta/ray';
import { type Controller, createController, type EventRecorder, type World } from '@manta/runtime';
import { informerOf, type RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { RayHeads } from '../observe/ray-heads.ts';
import {
  observeRayJob,
  pollerOwner,
  type RayJobObservation,
  type RayJobObserver,
  readFromRay,
} from '../observe/rayjob.ts';
import type { RayJobCache } from '../observe/rayjob-cache.ts';
import type { SubmitterPods } from '../observe/submitter-pods.ts';
import type { KindDefinition } from '../reconcile/kind-definition.ts';
import { createReconciler } from '../reconcile/reconciler.ts';
import { sendJobCommand } from './rayjob-commands.ts';
import type { RayJobMetrics } from './rayjob-metrics.ts';
import { rayJobSources } from './rayjob-sources.ts';

export interface RayJobControllerOptions {
  readonly context: BuildContext;
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly jobs: RayJobCache;
  readonly submitterPods: SubmitterPods;
  readonly heads: RayHeads;
  readonly poller: RayPoller;
  readonly parseYaml: YamlParser;
  readonly concurrency: number;
  readonly metrics: RayJobMetrics;
}

/** A failed plan with a timer is retried after this long, without backoff: the job's deadline must not be missed meanwhile. */
const RETRY_BEFORE_DEADLINE_MS = 3000;
/** How long details of the cluster's status may wait in the job's copy. */
const STATUS_COPY_DEBOUNCE_MS = 1000;

export function createRayJobController(world: World, options: RayJobControllerOptions): Controller {
  const { cache, jobs, submitterPods } = options;
  return createController(world, {
    name: 'rayjob',
    kind: 'RayJob',
    concurrency: options.concurrency,
    required: [jobs, cache.clusters, cache.pods, cache.services, cache.jobs],
    optional: [submitterPods, ...cache.gangs.map(({ informer }) => informer)],
    sources: rayJobSources(cache, jobs, submitterPods),
    reconcile: createReconciler(world, rayJobDefinition(world, options)),
  });
}

function rayJobDefinition(
  { client, clock }: World,
  options: RayJobControllerOptions,
): KindDefinition<RayJobObservation, RayJobStatus, RayJobMemory, RayJobNeeds> {
  const { cache, jobs, events, poller, metrics } = options;
  const observer: RayJobObserver = {
    ...options,
    client,
    now: () => clock.now(),
    steady: () => clock.steady?.() ?? clock.now(),
  };
  return {
    kind: 'RayJob',
    events,
    informerOf: (kind) => (kind === 'RayJob' ? jobs : informerOf(cache, kind)),
    emptyMemory: EMPTY_RAYJOB_MEMORY,
    observe: (context) => observeRayJob(observer, context),
    objectOf: ({ job }) => job,
    needs: rayJobNeeds,
    read: (observed, needs, context) => readFromRay(observer, observed, needs, context),
    plan: planRayJob,
    remember: afterRayJobProgress,
    debounce: {
      isUrgent: (job, after) => !canDebounceStatus(job, after),
      windowMs: STATUS_COPY_DEBOUNCE_MS,
      windowStart: 'first-change',
    },
    deduplicatesEvents: true,
    retry: {
      failedMs: ({ requeueAfterMs }) =>
        requeueAfterMs === undefined ? undefined : Math.min(RETRY_BEFORE_DEADLINE_MS, requeueAfterMs),
    },
    askRay: (action, { head }, key) => sendJobCommand(poller, head, pollerOwner(key), action),
    statusWritten: (job, status, now) => metrics.wrote(job, status, now),
    forget(key) {
      poller.forget(pollerOwner(key));
      metrics.forget(key);
    },
  };
}
