import {
  durationFromMs,
  Finalizer,
  formatDuration,
  gcsFtDeletionTimeoutSeconds,
  NodeType,
  type RayCluster,
  RayClusterEventReason,
} from '@manta/api';
import { usedStorageNamespace } from '../build/gcs-ft.ts';
import { buildRedisCleanupJob, keepsStateInRedis } from '../build/redis-cleanup.ts';
import { patchSelf } from '../ownership.ts';
import { type Action, NOTHING, normal, type Plan, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { deletePods } from './child-actions.ts';
import type { ClusterState } from './cluster-state.ts';
import { specForPods } from './object-name.ts';

const REDIS = Finalizer.GcsFtRedisCleanup;
/** Maximum time between two attempts: a refused request may be allowed by now. */
const REQUEUE_MS = 10_000;
/**
 * A cluster whose Redis cannot be cleaned stays for this long after its deletion: clients that delete it and read it next find it terminating
 * with its finalizer, like with KubeRay, which keeps it for minutes. Deletion timestamps have whole seconds.
 */
const VISIBLE_MS = 2_000;

/** Adds our finalizer before anything is written to Redis, so that the operator can clean up at deletion. */
export function addFinalizer({ cluster, spec, context }: ClusterState): readonly Action[] {
  const finalizers = cluster.metadata?.finalizers ?? [];
  if (!context.env.gcsFtRedisCleanup || !keepsStateInRedis(cluster, spec) || finalizers.includes(REDIS)) return [];
  return [setFinalizers(cluster, [...finalizers, REDIS])];
}

/**
 * Cleans up Redis for a cluster that is being deleted, within a bounded time. Kubernetes' garbage collection deletes everything else.
 * An otherwise invalid spec does not matter, as long as it says how to reach Redis. Without permission to read pods the operator only
 * waits for the end of that time. Undefined when the cluster is not being deleted.
 */
export function planDeletion(state: ClusterState, canSeePods = true): Plan | undefined {
  const { cluster, now } = state;
  if (cluster.metadata?.deletionTimestamp === undefined) return undefined;
  if (!waitsForOurFinalizer(cluster)) return NOTHING;
  const { deletionTimestamp = '', annotations } = cluster.metadata ?? {};
  const deletedAt = Date.parse(deletionTimestamp);
  const because = whyNotCleaned(state);
  if (because !== undefined) {
    const visibleMs = deletedAt + VISIBLE_MS - now;
    // Do not wait for a deletion timestamp that lies in the future of our clock.
    if (visibleMs > 0 && visibleMs <= VISIBLE_MS) return { actions: [], requeueAfterMs: visibleMs };
    return { actions: [release(state, leftBehind(state, because))] };
  }
  const timeoutMs = gcsFtDeletionTimeoutSeconds(annotations) * 1000;
  const leftMs = deletedAt + timeoutMs - now;
  if (leftMs <= 0) return { actions: [release(state, gaveUp(state, now - deletedAt))] };
  // One millisecond later, so that the event's duration has a fraction like KubeRay's.
  return { actions: canSeePods ? cleanUp(state) : [], requeueAfterMs: Math.min(leftMs + 1, REQUEUE_MS) };
}

/** Whether the object is being deleted and has our finalizer. */
export function waitsForOurFinalizer({ metadata }: RayCluster): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(REDIS) === true;
}

/** Undefined when Redis can be cleaned: the Job is built from the head's template. */
function whyNotCleaned({ cluster, spec, context }: ClusterState): string | undefined {
  if (!context.env.gcsFtRedisCleanup)
    return 'This operator does not clean Redis (ENABLE_GCS_FT_REDIS_CLEANUP is false)';
  const hasContainer = (spec.headGroupSpec?.template?.spec?.containers ?? []).length > 0;
  return hasContainer && keepsStateInRedis(cluster, spec) ? undefined : 'The spec no longer says how to clean Redis';
}

/**
 * Deletes the head first, since a running GCS would write the removed keys again; then runs the cleanup Job; then removes the finalizer.
 * Refused requests are retried until the deadline.
 */
function cleanUp(state: ClusterState): readonly Action[] {
  const { pods, children, cluster, context } = state;
  const stop = [NodeType.Head, NodeType.Worker].flatMap((nodeType) => {
    const ofType = pods.filter((pod) => pod.nodeType === nodeType);
    return deletePods(state, ofType, { isOptional: true });
  });
  if (pods.some(({ nodeType }) => nodeType === NodeType.Head)) return stop;
  const job = children.cleanupJobs.find(({ owner }) => owner === state.uid);
  if (job?.outcome === 'Failed') {
    const because = `Redis cleanup Job ${fullName(state, job.name)} failed`;
    return [...stop, release(state, leftBehind(state, because))];
  }
  if (job?.outcome !== undefined) return [...stop, release(state)];
  if (isBeingCollected(state)) return stop;
  const wanted = job === undefined ? buildRedisCleanupJob(cluster, specForPods(state), context) : undefined;
  if (wanted === undefined) return stop;
  const description = `Redis cleanup Job ${fullName(state, wanted.metadata?.name ?? '')}`;
  return [
    ...stop,
    {
      type: 'create',
      kind: 'Job',
      objects: [wanted],
      whenExists: 'fine',
      done: normal(RayClusterEventReason.CreatedRedisCleanupJob, 'Create', `Created ${description}`),
      failed: warning(RayClusterEventReason.FailedToCreateRedisCleanupJob, 'Create', `Failed to create ${description}`),
      isOptional: true,
    },
  ];
}

/**
 * In a foreground deletion Kubernetes first deletes all dependents, also a new cleanup Job. Kubernetes removes its own finalizer when no
 * dependent is left; only then can the Job survive.
 */
function isBeingCollected({ cluster }: ClusterState): boolean {
  return cluster.metadata?.finalizers?.includes('foregroundDeletion') === true;
}

function release({ cluster }: ClusterState, done?: ReturnType<typeof warning>): Action {
  const remaining = (cluster.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== REDIS);
  return { ...setFinalizers(cluster, remaining), ...(done === undefined ? {} : { done }) };
}

/** Reports data in Redis that no controller will remove. */
function leftBehind({ cluster }: ClusterState, because: string): ReturnType<typeof warning> {
  const note = `${because}; Redis storage namespace "${usedStorageNamespace(cluster)}" may need manual cleanup`;
  return warning(RayClusterEventReason.RedisStateLeftBehind, 'Cleanup', note);
}

function gaveUp({ cluster }: ClusterState, elapsedMs: number): ReturnType<typeof warning> {
  const note = `Force-removed GCS FT finalizer after ${formatDuration(durationFromMs(elapsedMs))} due to Redis cleanup timeout; Redis storage namespace "${usedStorageNamespace(cluster)}" may need manual cleanup`;
  return warning(RayClusterEventReason.ForceDeletedStuckCluster, 'Cleanup', note);
}

function setFinalizers(cluster: RayCluster, finalizers: readonly string[]): Action {
  const { resourceVersion } = cluster.metadata ?? {};
  return patchSelf('RayCluster', cluster, { metadata: { resourceVersion, finalizers } });
}
