import type { FeatureGates } from '@manta/api';
import { planRayCronJob, type WrittenKind } from '@manta/plan';
import {
  type Controller,
  createController,
  done,
  type EventRecorder,
  fromInformer,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  type World,
} from '@manta/runtime';
import { type Actor, act, writeStatus } from '../act.ts';
import { observeRayCronJob, type RayCronJobObserver } from '../observe/raycronjob.ts';
import type { RayCronJobCache } from '../observe/raycronjob-cache.ts';

export interface RayCronJobControllerOptions {
  readonly gates: FeatureGates;
  readonly events: EventRecorder;
  readonly cache: RayCronJobCache;
  readonly concurrency: number;
}

/** Observe, plan, act, and remember which time was served: for RayCronJobs. */
export function createRayCronJobController(world: World, options: RayCronJobControllerOptions): Controller {
  const { cache, events, gates } = options;
  const observer: RayCronJobObserver = { cache, client: world.client, gates, now: () => world.clock.now() };
  const informers: Readonly<Partial<Record<WrittenKind, Informer | undefined>>> = {
    RayCronJob: cache.cronJobs,
    RayJob: cache.children,
  };

  async function reconcile(_key: string, pass: ReconcileContext): Promise<ReconcileResult> {
    const observed = await observeRayCronJob(observer, pass);
    if (observed === undefined) return done;
    const plan = planRayCronJob(observed);
    const actor: Actor = {
      client: world.client,
      clock: world.clock,
      kind: 'RayCronJob',
      object: observed.cronJob,
      events,
      context: pass,
      informerOf: (kind) => informers[kind],
    };
    const outcome = await act(plan.actions, actor);
    if (outcome.kind === 'waiting' && outcome.requeueAfterMs !== undefined) {
      pass.log.info('Waiting', { reason: outcome.message });
      return requeueAfter(outcome.requeueAfterMs);
    }
    if (outcome.kind !== 'done') throw new Error(outcome.message);
    // Only now: a time whose RayJob could not be made is not served.
    if (plan.status !== undefined)
      await writeStatus(actor, observed.cronJob.status, { ...observed.cronJob.status, ...plan.status });
    return plan.requeueAfterMs === undefined ? done : requeueAfter(plan.requeueAfterMs);
  }

  return createController(world, {
    name: 'raycronjob',
    kind: 'RayCronJob',
    concurrency: options.concurrency,
    required: [cache.cronJobs, ...(cache.children === undefined ? [] : [cache.children])],
    sources: [
      fromInformer(cache.cronJobs),
      ...(cache.children === undefined ? [] : [fromInformer(cache.children, { keys: ({ cronJob }) => [cronJob] })]),
    ],
    reconcile,
  });
}
