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
import { type Action, normal, type Plan, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { deletePods } from './delete-pods.ts';
import { specForPods } from './object-name.ts';
import type { Subject } from './subject.ts';

const REDIS = Finalizer.GcsFtRedisCleanup;
/** A deletion is looked at this often even if nothing is seen to change: what was refused may be allowed by now. */
const LOOK_AGAIN_MS = 10_000;
/**
 * A cluster whose Redis cannot be cleaned stays for this long after its deletion: clients that delete it and read it next find it terminating
 * with its finalizer, like with KubeRay, which keeps it for minutes. Deletion timestamps have whole seconds.
 */
const VISIBLE_MS = 2_000;

/** Makes sure, before anything is written to Redis, that a deletion will pass by us. */
export function planFinalizer({ cluster, spec, context }: Subject): readonly Action[] {
  const finalizers = cluster.metadata?.finalizers ?? [];
  if (!context.env.gcsFtRedisCleanup || !keepsStateInRedis(cluster, spec) || finalizers.includes(REDIS)) return [];
  return [setFinalizers(cluster, [...finalizers, REDIS])];
}

/**
 * Cleans Redis up behind a cluster that is being deleted, within a bounded time whatever happens. Everything else goes by its owner
 * references. What else is wrong with the cluster does not matter any more, as long as its spec says how Redis is reached. Who cannot see
 * whether the head still runs only waits for the end of that time.
 */
export function planDeletion(subject: Subject, canSeePods = true): Plan {
  const { cluster, now } = subject;
  if (!isHeldByUs(cluster)) return { actions: [] };
  const { deletionTimestamp = '', annotations } = cluster.metadata ?? {};
  const deletedAt = Date.parse(deletionTimestamp);
  const because = whyNotCleaned(subject);
  if (because !== undefined) {
    const visibleMs = deletedAt + VISIBLE_MS - now;
    // A deletion that lies ahead of our clock is not waited for.
    if (visibleMs > 0 && visibleMs <= VISIBLE_MS) return { actions: [], requeueAfterMs: visibleMs };
    return { actions: [release(subject, leftBehind(subject, because))] };
  }
  const timeoutMs = gcsFtDeletionTimeoutSeconds(annotations) * 1000;
  const leftMs = deletedAt + timeoutMs - now;
  if (leftMs <= 0) return { actions: [release(subject, gaveUp(subject, now - deletedAt))] };
  // A moment after the end: exactly then, the event would tell a time without a fraction, which no other operator tells.
  return { actions: canSeePods ? cleanUp(subject) : [], requeueAfterMs: Math.min(leftMs + 1, LOOK_AGAIN_MS) };
}

/** Whether the object is being deleted and waits for us. */
export function isHeldByUs({ metadata }: RayCluster): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(REDIS) === true;
}

/** Undefined where Redis can be cleaned: the Job is made from the head's template. */
function whyNotCleaned({ cluster, spec, context }: Subject): string | undefined {
  if (!context.env.gcsFtRedisCleanup)
    return 'This operator does not clean Redis (ENABLE_GCS_FT_REDIS_CLEANUP is false)';
  const hasContainer = (spec.headGroupSpec?.template?.spec?.containers ?? []).length > 0;
  return hasContainer && keepsStateInRedis(cluster, spec) ? undefined : 'The spec no longer says how to clean Redis';
}

/**
 * The head first, since a living GCS would write again what was removed; then the Job; then the object may go. Nothing of it is more than
 * an attempt: what is refused is tried again until the time is over.
 */
function cleanUp(subject: Subject): readonly Action[] {
  const { pods, children, cluster, context } = subject;
  const stop = [NodeType.Head, NodeType.Worker].flatMap((nodeType) => {
    const ofType = pods.filter((pod) => pod.nodeType === nodeType);
    return deletePods(subject, ofType, { isOptional: true });
  });
  if (pods.some(({ nodeType }) => nodeType === NodeType.Head)) return stop;
  const job = children.cleanupJobs.find(({ owner }) => owner === subject.uid);
  if (job?.outcome === 'Failed') {
    const because = `Redis cleanup Job ${fullName(subject, job.name)} failed`;
    return [...stop, release(subject, leftBehind(subject, because))];
  }
  if (job?.outcome !== undefined) return [...stop, release(subject)];
  if (isBeingCollected(subject)) return stop;
  const wanted = job === undefined ? buildRedisCleanupJob(cluster, specForPods(subject), context) : undefined;
  if (wanted === undefined) return stop;
  const told = `Redis cleanup Job ${fullName(subject, wanted.metadata?.name ?? '')}`;
  return [
    ...stop,
    {
      type: 'create',
      kind: 'Job',
      objects: [wanted],
      whenExists: 'fine',
      done: normal(RayClusterEventReason.CreatedRedisCleanupJob, 'Create', `Created ${told}`),
      failed: warning(RayClusterEventReason.FailedToCreateRedisCleanupJob, 'Create', `Failed to create ${told}`),
      isOptional: true,
    },
  ];
}

/**
 * In a foreground deletion Kubernetes first deletes all that belongs to the cluster, also a Job that we would make meanwhile. Its own
 * finalizer goes when nothing is left, and then the Job may live.
 */
function isBeingCollected({ cluster }: Subject): boolean {
  return cluster.metadata?.finalizers?.includes('foregroundDeletion') === true;
}

function release({ cluster }: Subject, done?: ReturnType<typeof warning>): Action {
  const remaining = (cluster.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== REDIS);
  return { ...setFinalizers(cluster, remaining), ...(done === undefined ? {} : { done }) };
}

/** Whoever looks after Redis has to know what nobody else will remove. */
function leftBehind({ cluster }: Subject, because: string): ReturnType<typeof warning> {
  const note = `${because}; Redis storage namespace "${usedStorageNamespace(cluster)}" may need manual cleanup`;
  return warning(RayClusterEventReason.RedisStateLeftBehind, 'Cleanup', note);
}

function gaveUp({ cluster }: Subject, elapsedMs: number): ReturnType<typeof warning> {
  const note = `Force-removed GCS FT finalizer after ${formatDuration(durationFromMs(elapsedMs))} due to Redis cleanup timeout; Redis storage namespace "${usedStorageNamespace(cluster)}" may need manual cleanup`;
  return warning(RayClusterEventReason.ForceDeletedStuckCluster, 'Cleanup', note);
}

function setFinalizers(cluster: RayCluster, finalizers: readonly string[]): Action {
  const { resourceVersion } = cluster.metadata ?? {};
  return patchSelf('RayCluster', cluster, { metadata: { resourceVersion, finalizers } });
}
