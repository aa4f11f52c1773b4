import type { FeatureGates, RayCronJobStatus } from '@manta/api';
import { type ObservedRayCronJob, planRayCronJob, type WrittenKind } from '@manta/plan';
import {
  type Controller,
  createController,
  type EventRecorder,
  fromInformer,
  type Informer,
  type World,
} from '@manta/runtime';
import { observeRayCronJob, type RayCronJobObserver } from '../observe/raycronjob.ts';
import type { RayCronJobCache } from '../observe/raycronjob-cache.ts';
import type { KindDefinition } from '../reconcile/kind-definition.ts';
import { createReconciler } from '../reconcile/reconciler.ts';

export interface RayCronJobControllerOptions {
  readonly gates: FeatureGates;
  readonly events: EventRecorder;
  readonly cache: RayCronJobCache;
  readonly concurrency: number;
}

export function createRayCronJobController(world: World, options: RayCronJobControllerOptions): Controller {
  const { cache } = options;
  const children = cache.children === undefined ? [] : [cache.children];
  return createController(world, {
    name: 'raycronjob',
    kind: 'RayCronJob',
    concurrency: options.concurrency,
    required: [cache.cronJobs, ...children],
    sources: [
      fromInformer(cache.cronJobs),
      ...children.map((informer) => fromInformer(informer, { keys: ({ cronJob }) => [cronJob] })),
    ],
    reconcile: createReconciler(world, rayCronJobDefinition(world, options)),
  });
}

/** The status is written only after all actions: a scheduled time whose RayJob could not be created is not served. */
function rayCronJobDefinition(
  { client, clock }: World,
  { cache, events, gates }: RayCronJobControllerOptions,
): KindDefinition<ObservedRayCronJob, RayCronJobStatus> {
  const observer: RayCronJobObserver = { cache, client, gates, now: () => clock.now() };
  const informers: Readonly<Partial<Record<WrittenKind, Informer | undefined>>> = {
    RayCronJob: cache.cronJobs,
    RayJob: cache.children,
  };
  return {
    kind: 'RayCronJob',
    events,
    informerOf: (kind) => informers[kind],
    emptyMemory: undefined,
    observe: (context) => observeRayCronJob(observer, context),
    objectOf: ({ cronJob }) => cronJob,
    plan: planRayCronJob,
  };
}
