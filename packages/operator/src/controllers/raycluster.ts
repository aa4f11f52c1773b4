import type { RayCluster } from '@manta/api';
import { type BuildContext, isUrgentChange, type PlanOutcome, planRayCluster, rayClusterStatus } from '@manta/plan';
import {
  anyOf,
  changes,
  type Controller,
  createController,
  done,
  type EventRecorder,
  fromInformer,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  urgentWhen,
  type World,
} from '@manta/runtime';
import { type Actor, act, writeStatus } from '../act.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import { LastHolders } from '../observe/last-holders.ts';
import {
  informerOf,
  optionalInformers,
  type RayClusterCache,
  requiredInformers,
} from '../observe/ray-cluster-cache.ts';
import { observeRayCluster, type RayClusterObserver } from '../observe/raycluster.ts';
import { StatusHold } from '../status-hold.ts';

export interface RayClusterControllerOptions {
  readonly context: BuildContext;
  readonly facts: ClusterFacts;
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly concurrency: number;
}

/** When to look again for the end of something that our caches do not show. */
const WAIT_MS = 2000;

/** Observe, plan, act, and say how it went: for RayClusters. */
export function createRayClusterController(world: World, options: RayClusterControllerOptions): Controller {
  const { context, facts, cache, events } = options;
  const observer: RayClusterObserver = {
    cache,
    client: world.client,
    lastHolders: new LastHolders(cache.pods),
    context,
    installed: { certManager: facts.hasCertManager, openShift: facts.isOpenShift },
    now: () => world.clock.now(),
  };

  const hold = new StatusHold();

  async function reconcile(key: string, pass: ReconcileContext): Promise<ReconcileResult> {
    const observed = await observeRayCluster(observer, pass);
    if (observed === undefined) {
      observer.lastHolders.forget(key);
      hold.forget(key);
      return done;
    }
    const plan = planRayCluster(observed);
    const actor: Actor = {
      client: world.client,
      kind: 'RayCluster',
      object: observed.cluster,
      events,
      context: pass,
      informerOf: (kind) => informerOf(cache, kind),
    };
    const outcome = await act(plan.actions, actor);
    const status = plan.subject === undefined ? undefined : rayClusterStatus(plan.subject, outcome);
    // What went wrong is told at once: the next pass may be long in coming.
    const isUrgent =
      status !== undefined && (outcome.kind === 'failed' || isUrgentChange(observed.cluster.status, status));
    const heldMs = status === undefined ? 0 : hold.waitMs(key, isUrgent, observed.now);
    if (status !== undefined && heldMs === 0) {
      await writeStatus(actor, observed.cluster.status, status);
      hold.wrote(key, world.clock.now());
    }
    if (outcome.kind === 'failed') throw new PlanFailed(outcome);
    if (outcome.kind === 'waiting') {
      pass.log.info('Waiting', { reason: outcome.message });
      return requeueAfter(Math.min(WAIT_MS, plan.lookAgainMs ?? WAIT_MS));
    }
    if (heldMs > 0) return requeueAfter(heldMs);
    // A suspension moves on from what the status now says.
    if (status !== undefined && isMovingOn(observed.cluster, status)) return requeueAfter(0);
    return plan.lookAgainMs === undefined ? done : requeueAfter(plan.lookAgainMs);
  }

  return createController(world, {
    name: 'raycluster',
    kind: 'RayCluster',
    concurrency: options.concurrency,
    required: requiredInformers(cache),
    optional: optionalInformers(cache),
    sources: [
      fromInformer(cache.clusters, { when: specOrMetadataChanged, priority: urgentWhen(specOrMetadataChanged) }),
      fromInformer(cache.pods, { keys: ({ namespace, cluster }) => [`${namespace}/${cluster}`] }),
      // What was deleted by hand comes back.
      ...[cache.services, cache.jobs, cache.secrets, cache.roles, cache.roleBindings].map((informer) =>
        fromInformer(informer, { keys: ({ belongsTo }) => belongsTo }),
      ),
    ],
    reconcile,
  });
}

/** A plan that could not be carried out to its end; the key comes back later. */
class PlanFailed extends Error {
  override readonly name = 'PlanFailed';

  constructor(outcome: Extract<PlanOutcome, { kind: 'failed' }>) {
    super(outcome.message);
  }
}

/** Our own status writes are no news. */
const specOrMetadataChanged = anyOf<RayCluster>(
  changes((cluster) => cluster.metadata?.generation),
  changes((cluster) => cluster.metadata?.labels),
  changes((cluster) => cluster.metadata?.annotations),
  changes((cluster) => cluster.metadata?.deletionTimestamp),
);

function isMovingOn(cluster: RayCluster, after: NonNullable<RayCluster['status']>): boolean {
  return suspension(cluster.status) !== suspension(after);
}

function suspension(status: RayCluster['status']): string {
  const conditions = status?.conditions ?? [];
  return conditions
    .flatMap(({ type, status: value }) => (type.includes('Suspend') && value === 'True' ? [type] : []))
    .join();
}
