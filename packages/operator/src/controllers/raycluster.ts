import {
  isConditionTrue,
  isTlsEnabled,
  type KubeObject,
  Label,
  NodeType,
  type RayCluster,
  RayClusterConditionType,
  type RayClusterStatus,
} from '@manta/api';
import {
  type BuildContext,
  type CreateAction,
  headsToAsk,
  isUrgentChange,
  type ObservedRayCluster,
  type PkiState,
  type PlanOutcome,
  planRayCluster,
  planUnseen,
  type RayClusterPlan,
  rayClusterStatus,
  unseenStatus,
} from '@manta/plan';
import {
  type Controller,
  createController,
  done,
  type EventRecorder,
  fromInformer,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type World,
} from '@manta/runtime';
import { type Actor, act, writeStatus } from '../act.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import { EmittedWarnings } from '../emitted-warnings.ts';
import { createHolds } from '../observe/create-holds.ts';
import { FailingPods } from '../observe/failing-pods.ts';
import { headNews } from '../observe/head-news.ts';
import { LastHolders } from '../observe/last-holders.ts';
import { type PkiCache, type PkiInformer, type PkiStates, pkiInformers, pkiKeys } from '../observe/pki-cache.ts';
import { informerOf, optionalInformers, type RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { RayNodeLists } from '../observe/ray-node-lists.ts';
import { observeRayCluster, type RayClusterObserver } from '../observe/raycluster.ts';
import { RefusedGroups } from '../observe/refused-groups.ts';
import { unseenKinds } from '../observe/unreadable.ts';
import { StatusHold } from '../status-hold.ts';
import { installedIn } from './cluster-parts.ts';
import type { RayClusterMetrics } from './raycluster-metrics.ts';
import { rayClusterSources } from './raycluster-sources.ts';

export interface RayClusterControllerOptions {
  readonly context: BuildContext;
  readonly facts: ClusterFacts;
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly concurrency: number;
  /** Absent: Ray is never asked, and what only Ray knows stays unknown. */
  readonly nodes?: RayNodeLists;
  /** Absent: no cluster has mutual TLS. */
  readonly pki?: { readonly states: PkiStates; readonly cache: PkiCache } | undefined;
  /** Absent: nobody wants to know. */
  readonly metrics?: RayClusterMetrics;
}

/** When to look again for the end of something that our caches do not show. */
const WAIT_MS = 2000;
/** When to look again for a permission that was missing. */
const UNSEEN_MS = 10_000;
/** The same where the cluster works without it. */
const NOT_ALLOWED_MS = 30_000;

/** A cluster in trouble is looked at this often at least: what it lacks, an account or a name that is free, may be there by now. */
const RETRY = { initialMs: 5, factor: 2, maxMs: 60_000 } as const;

/** Observe, plan, act, and say how it went: for RayClusters. */
export function createRayClusterController(world: World, options: RayClusterControllerOptions): Controller {
  const { cache } = options;
  const { pods, services } = cache;
  const reconciler = new RayClusterReconciler(world, options);
  return createController(world, {
    name: 'raycluster',
    kind: 'RayCluster',
    concurrency: options.concurrency,
    queue: { backoff: RETRY },
    required: [cache.clusters],
    // Without these nothing can be decided; where they are forbidden, the cluster's status can still say so.
    optional: [pods, services, ...optionalInformers(cache), ...pkiOf(options)],
    sources: [
      ...rayClusterSources(cache),
      ...pkiOf(options).map((informer) => fromInformer(informer, { keys: pkiKeys })),
    ],
    reconcile: (key, pass) => reconciler.reconcile(key, pass),
  });
}

function pkiOf({ pki }: RayClusterControllerOptions): readonly PkiInformer<KubeObject>[] {
  return pki === undefined ? [] : pkiInformers(pki.cache);
}

class RayClusterReconciler {
  readonly #world: World;
  readonly #options: RayClusterControllerOptions;
  readonly #observer: RayClusterObserver;
  readonly #hold = new StatusHold();
  readonly #warnings = new EmittedWarnings();
  readonly #refused = new RefusedGroups();
  readonly #failing: FailingPods;

  constructor(world: World, options: RayClusterControllerOptions) {
    const { cache, context, facts, pki } = options;
    this.#world = world;
    this.#options = options;
    this.#failing = new FailingPods(cache.pods, () => world.clock.now(), context.env);
    this.#observer = {
      cache,
      client: world.client,
      lastHolders: new LastHolders(cache.pods),
      holds: (key, cluster) => createHolds(key, cluster, this.#refused, this.#failing),
      context,
      installed: installedIn(facts, pki?.cache),
      now: () => world.clock.now(),
      startedAt: world.clock.now(),
    };
  }

  async reconcile(key: string, pass: ReconcileContext): Promise<ReconcileResult> {
    const hasHeadNews = headNews(this.#options.cache, key);
    const seen = await observeRayCluster(this.#observer, pass);
    if (seen === undefined) return this.#forget(key);
    const unseen = unseenKinds(this.#options.cache, pass.namespace ?? '');
    if (unseen.length > 0) return this.#explain(seen, unseen, pass);
    const pki = await this.#pkiOf(seen, pass);
    const rayNodes = await this.#options.nodes?.of(key, seen.cluster, headsToAsk(seen), pass.signal);
    const observed = {
      ...seen,
      ...(pki === undefined ? {} : { pki }),
      ...(rayNodes === undefined ? {} : { rayNodes }),
    };
    const plan = planRayCluster(observed);
    const isOutdated = (action: CreateAction) => makesHead(action) && hasHeadNews();
    const actor = { ...this.#actor(observed.cluster, pass), isOutdated };
    const outcome = await this.#act(key, plan, observed, actor);
    const status = plan.subject === undefined ? undefined : rayClusterStatus(plan.subject, outcome);
    const heldMs = await this.#tell(key, observed, status, outcome, actor);
    if (outcome.kind === 'waiting') return this.#wait(outcome, plan, heldMs, pass);
    // Also after a failure: what went wrong with another object must not hold up a suspension.
    if (status !== undefined && heldMs === 0 && isMovingOn(observed.cluster, status)) return requeueAfter(0);
    if (outcome.kind === 'failed') throw new PlanFailed(outcome);
    if (heldMs > 0) return requeueAfter(heldMs);
    const requeueAfterMs = Math.min(
      plan.requeueAfterMs ?? Number.POSITIVE_INFINITY,
      retryMs(status ?? observed.cluster.status),
    );
    return Number.isFinite(requeueAfterMs) ? requeueAfter(requeueAfterMs) : done;
  }

  /** Only clusters with mutual TLS have certificates to wait for. */
  async #pkiOf({ cluster, context }: ObservedRayCluster, { signal }: ReconcileContext): Promise<PkiState | undefined> {
    return isTlsEnabled(cluster.spec, context.gates) ? await this.#options.pki?.states.of(cluster, signal) : undefined;
  }

  async #act(
    key: string,
    { actions }: RayClusterPlan,
    { cluster, now }: ObservedRayCluster,
    actor: Actor,
  ): Promise<PlanOutcome> {
    const when = { now, generation: cluster.metadata?.generation };
    const outcome = await act(this.#warnings.withoutRepeats(key, actions, when), actor);
    const refused = outcome.refusedGroups ?? [];
    const tried = actions.flatMap((action) => (action.type === 'create' ? (action.group ?? []) : []));
    this.#refused.tried(key, tried, refused, { ...when, now: this.#world.clock.now() });
    return outcome;
  }

  /** Writes the status, unless it may wait for more of its kind: then how long. */
  async #tell(
    key: string,
    { cluster, now }: ObservedRayCluster,
    status: RayClusterStatus | undefined,
    outcome: PlanOutcome,
    actor: Actor,
  ): Promise<number> {
    if (status === undefined) return 0;
    // What went wrong is told at once: the next pass may be long in coming.
    const isUrgent = outcome.kind === 'failed' || isUrgentChange(cluster.status, status);
    const heldMs = this.#hold.waitMs(key, { status, isFirst: cluster.status === undefined, isUrgent }, now);
    if (heldMs > 0) return heldMs;
    await writeStatus(actor, cluster.status, status);
    const writtenAt = this.#world.clock.now();
    this.#hold.wrote(key, writtenAt);
    this.#options.metrics?.wrote(cluster, status, writtenAt);
    return 0;
  }

  #wait(
    outcome: Extract<PlanOutcome, { kind: 'waiting' }>,
    { requeueAfterMs = Number.POSITIVE_INFINITY }: RayClusterPlan,
    heldMs: number,
    { log }: ReconcileContext,
  ): ReconcileResult {
    log.info('Waiting', { reason: outcome.message });
    // A status that was held back is told in its time, however long the wait.
    const toldMs = heldMs > 0 ? heldMs : Number.POSITIVE_INFINITY;
    return requeueAfter(Math.min(outcome.requeueAfterMs ?? WAIT_MS, requeueAfterMs, toldMs));
  }

  /** Pods or Services may not be read: that is said where the user looks, and nothing else is touched. */
  async #explain(
    observed: ObservedRayCluster,
    missing: readonly string[],
    pass: ReconcileContext,
  ): Promise<ReconcileResult> {
    const plan = planUnseen(observed);
    const actor = this.#actor(observed.cluster, pass);
    await act(plan.actions, actor);
    const status = unseenStatus(observed, missing);
    if (status !== undefined) await writeStatus(actor, observed.cluster.status, status);
    return requeueAfter(Math.min(UNSEEN_MS, plan.requeueAfterMs ?? UNSEEN_MS));
  }

  #actor(object: RayCluster, context: ReconcileContext): Actor {
    const { events, cache } = this.#options;
    const { client, clock } = this.#world;
    return {
      client,
      clock,
      kind: 'RayCluster',
      object,
      events,
      context,
      informerOf: (kind) => informerOf(cache, kind),
    };
  }

  #forget(key: string): ReconcileResult {
    this.#observer.lastHolders.forget(key);
    this.#hold.forget(key);
    this.#warnings.forget(key);
    this.#refused.forget(key);
    this.#options.nodes?.forget(key);
    this.#options.pki?.states.forget(key);
    this.#options.metrics?.forget(key);
    return done;
  }
}

/** By its label: also a group of workers may bear the name of the head's. */
function makesHead({ objects }: CreateAction): boolean {
  return objects.some(({ metadata }) => metadata?.labels?.[Label.NodeType] === NodeType.Head);
}

/** What is not allowed, and can be done without, is looked at again before long. */
function retryMs(status: RayCluster['status']): number {
  const isMissing = isConditionTrue(status?.conditions, RayClusterConditionType.PermissionMissing);
  return isMissing ? NOT_ALLOWED_MS : Number.POSITIVE_INFINITY;
}

/** A plan that could not be carried out to its end; the key comes back later. */
class PlanFailed extends Error {
  override readonly name = 'PlanFailed';

  constructor(outcome: Extract<PlanOutcome, { kind: 'failed' }>) {
    super(outcome.message);
  }
}

/** What happens next depends on these conditions, and our own writes are no news: a suspension goes on, Ray is no longer asked. */
const STEPS: readonly string[] = [
  RayClusterConditionType.Suspending,
  RayClusterConditionType.Suspended,
  RayClusterConditionType.WorkersRejoined,
];

function isMovingOn(cluster: RayCluster, after: RayClusterStatus): boolean {
  return stepsIn(cluster.status) !== stepsIn(after);
}

function stepsIn(status: RayCluster['status']): string {
  const conditions = status?.conditions ?? [];
  return conditions
    .flatMap(({ type, status: value }) => (STEPS.includes(type) && value === 'True' ? [type] : []))
    .join();
}
