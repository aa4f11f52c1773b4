import {
  JobDeploymentStatus,
  Label,
  OriginCrd,
  type RayJob,
  type RayJobStatus,
  type StringMap,
  type YamlParser,
} from '@manta/api';
import {
  type BuildContext,
  isNewState,
  isNewsOfHead,
  isOnlyMirror,
  type PlanOutcome,
  type PodRecord,
  planRayJob,
  type RayAction,
  type RayJobPlan,
} from '@manta/plan';
import type { Command, RayHead, RayPoller } from '@manta/ray';
import {
  type Controller,
  createController,
  done,
  type EventRecorder,
  fromInformer,
  keyOf,
  namespaceOf,
  type ObjectKey,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  toKey,
  type World,
} from '@manta/runtime';
import { type Actor, act, writeStatus } from '../act.ts';
import { EmittedWarnings } from '../emitted-warnings.ts';
import { Absences } from '../observe/absences.ts';
import { gangOwnerKeys } from '../observe/gang-cache.ts';
import { informerOf, type RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { RayHeads } from '../observe/ray-heads.ts';
import { observeRayJob, ownerOf, type RayJobObserver } from '../observe/rayjob.ts';
import type { RayJobCache } from '../observe/rayjob-cache.ts';
import { Silences } from '../observe/silences.ts';
import { SubmitterEnds } from '../observe/submitter-ends.ts';
import { UnmadeClusters } from '../observe/unmade-clusters.ts';
import { MirrorHold } from './mirror-hold.ts';
import type { RayJobMetrics } from './rayjob-metrics.ts';

export interface RayJobControllerOptions {
  readonly context: BuildContext;
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly jobs: RayJobCache;
  readonly heads: RayHeads;
  readonly poller: RayPoller;
  readonly parseYaml: YamlParser;
  readonly concurrency: number;
  readonly metrics: RayJobMetrics;
}

/** When to look again for the end of something that our caches do not show. */
const WAIT_MS = 2000;
/** A deadline must not be missed while something else keeps failing. */
const RETRY_MS = 3000;

/** Observe, plan, act, and write down how it stands: for RayJobs. */
export function createRayJobController(world: World, options: RayJobControllerOptions): Controller {
  const { cache, jobs, events, poller, metrics } = options;
  const ends = new SubmitterEnds();
  const absences = new Absences();
  const silences = new Silences();
  const steady = () => world.clock.steady?.() ?? world.clock.now();
  const handedOver = new Map<string, string>();
  const unmade = new UnmadeClusters();
  const memory = { ends, absences, silences, steady, handedOver, unmade };
  const observer: RayJobObserver = { ...options, client: world.client, now: () => world.clock.now(), ...memory };
  const hold = new MirrorHold();
  const repaired = new Map<string, number>();
  const warnings = new EmittedWarnings();

  async function reconcile(key: string, pass: ReconcileContext): Promise<ReconcileResult> {
    const observation = await observeRayJob(observer, pass, repaired.get(key));
    if (observation === undefined) {
      forget(key);
      return done;
    }
    const { observed, head } = observation;
    const plan = planRayJob(observed);
    remember(repaired, key, plan, observed.now);
    if (observed.cluster !== undefined) unmade.delete(key);
    const actor: Actor = {
      client: world.client,
      clock: world.clock,
      kind: 'RayJob',
      object: observed.job,
      events,
      context: pass,
      informerOf: (kind) => (kind === 'RayJob' ? jobs : informerOf(cache, kind)),
      askRay: (action) => askRay(poller, head, ownerOf(key), action),
    };
    const { generation } = observed.job.metadata ?? {};
    const outcome = await act(warnings.withoutRepeats(key, plan.actions, { generation, now: observed.now }), actor);
    if (outcome.kind !== 'done') return tryAgain(outcome, plan, pass);
    if (plan.actions.some((action) => action.type === 'create' && action.kind === 'RayCluster')) unmade.delete(key);
    const heldMs = await write(key, actor, observed.job, plan.status);
    if (plan.isBeginning === true) unmade.add(key, plan.status ?? observed.job.status ?? {});
    const requeueAfterMs = soonest(heldMs, plan.requeueAfterMs);
    return requeueAfterMs === undefined ? done : requeueAfter(requeueAfterMs);
  }

  function forget(key: string): void {
    poller.forget(ownerOf(key));
    metrics.forget(key);
    hold.release(key);
    warnings.forget(key);
    for (const kept of [ends, absences, silences]) kept.forget(key);
    for (const kept of [handedOver, repaired, unmade]) kept.delete(key);
  }

  /** Copies of the cluster's status wait for more of their kind; returns for how long, if they do. */
  async function write(
    key: string,
    actor: Actor,
    job: RayJob,
    after: RayJobStatus | undefined,
  ): Promise<number | undefined> {
    if (after === undefined) {
      hold.release(key);
      return undefined;
    }
    const before = job.status ?? {};
    const isUrgent = !isOnlyMirror(before, after) || isNewState(before, after) || isNewsOfHead(job, after);
    const heldMs = hold.waitMs(key, isUrgent, world.clock.now());
    if (heldMs > 0) return heldMs;
    await writeStatus(actor, before, after);
    silences.since(key, after.jobStatusCheckFailureStartTime, { now: world.clock.now(), steady: steady() });
    if (isHandedOver(before, after)) handedOver.set(key, after.jobId ?? '');
    hold.release(key);
    metrics.wrote(job, after, world.clock.now());
    return undefined;
  }

  return createController(world, {
    name: 'rayjob',
    kind: 'RayJob',
    concurrency: options.concurrency,
    required: [jobs, cache.clusters, cache.pods, cache.services, cache.jobs],
    optional: cache.gangs.map(({ informer }) => informer),
    sources: [
      fromInformer(jobs),
      fromInformer(cache.clusters, {
        keys: ({ metadata }, key) => [...jobKeysOn(jobs, key), ...originOf(metadata?.labels ?? {}, key)],
      }),
      // Submitters carry the name of their RayJob.
      fromInformer(cache.jobs),
      fromInformer(cache.services, {
        keys: ({ labels }, key) => originOf(labels, key),
      }),
      ...cache.gangs.map(({ informer }) => fromInformer(informer, { keys: gangOwnerKeys('RayJob') })),
      fromInformer(cache.pods, {
        when: ({ before, after }) => newsOf(before) !== newsOf(after),
        keys: ({ namespace, cluster }) => jobKeysOn(jobs, toKey(namespace, cluster)),
      }),
    ],
    reconcile,
  });
}

function isHandedOver(before: RayJobStatus, after: RayJobStatus): boolean {
  const { Initializing, Running } = JobDeploymentStatus;
  return before.jobDeploymentStatus === Initializing && after.jobDeploymentStatus === Running;
}

/** What matters of a pod: what keeps it from running; of a head also the submitter that it may carry, and which life of Ray it is. */
function newsOf(pod: PodRecord | undefined): string {
  if (pod === undefined || (pod.head === undefined && pod.trouble === undefined)) return '';
  const { uid, phase, isTerminating, trouble, head } = pod;
  return JSON.stringify([
    trouble,
    head === undefined ? [] : [uid, phase, isTerminating, head.restarts, head.submitter],
  ]);
}

/** The job that an object was made for, as its labels name it. */
function originOf(labels: StringMap, key: ObjectKey): readonly ObjectKey[] {
  const isOfJob = labels[Label.OriginatedFromCrd] === OriginCrd.RayJob;
  return isOfJob ? [toKey(namespaceOf(key), labels[Label.OriginatedFromCrName] ?? '')] : [];
}

/** The jobs that run on a cluster. */
function jobKeysOn(jobs: RayJobCache, cluster: ObjectKey): readonly ObjectKey[] {
  return jobs.by('cluster', cluster).map(keyOf);
}

/** Since when a refused spec has been in order again; whoever edits it once more starts the time anew. */
function remember(repaired: Map<string, number>, key: string, { isRepaired }: RayJobPlan, now: number): void {
  if (isRepaired !== true) repaired.delete(key);
  else if (!repaired.has(key)) repaired.set(key, now);
}

/** Hands a command to the head; one that failed before may be tried again. */
function askRay(poller: RayPoller, head: RayHead | undefined, owner: string, { id, command }: RayAction): void {
  if (head === undefined) return;
  const before = poller.results(owner).find((result) => result.id === id);
  if (before !== undefined && before.state !== 'running') poller.settle(owner, id);
  poller.perform(head, toCommand(command), { owner, id });
}

function toCommand(command: RayAction['command']): Command {
  switch (command.kind) {
    case 'submit':
      return { kind: 'submit', request: command.job };
    case 'stop':
    case 'delete':
      return { kind: command.kind, id: command.jobId };
    case 'put-serve':
      throw new Error('a RayJob has no Serve configuration');
  }
}

/** What went wrong is tried again, with growing pauses unless a deadline comes first. */
function tryAgain(
  outcome: Exclude<PlanOutcome, { kind: 'done' }>,
  { requeueAfterMs }: RayJobPlan,
  { log }: ReconcileContext,
): ReconcileResult {
  if (outcome.kind === 'waiting') {
    log.info('Waiting', { reason: outcome.message });
    return requeueAfter(outcome.requeueAfterMs ?? Math.min(WAIT_MS, requeueAfterMs ?? WAIT_MS));
  }
  if (requeueAfterMs === undefined) throw new PlanFailed(outcome.message);
  log.error('The plan failed', new PlanFailed(outcome.message));
  return requeueAfter(Math.min(RETRY_MS, requeueAfterMs));
}

/** A plan that could not be carried out to its end; the key comes back later. */
class PlanFailed extends Error {
  override readonly name = 'PlanFailed';
}

function soonest(...waits: readonly (number | undefined)[]): number | undefined {
  const given = waits.filter((wait) => wait !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
