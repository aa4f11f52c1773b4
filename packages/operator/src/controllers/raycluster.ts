import type { FeatureGates, RayCluster } from '@manta/api';
import { resources } from '@manta/kube';
import { planRayCluster } from '@manta/plan';
import {
  anyOf,
  changes,
  type Controller,
  createController,
  createInformer,
  done,
  type EventRecorder,
  fromInformer,
  type Informer,
  requeueAfter,
  type World,
} from '@manta/runtime';
import { act } from '../act.ts';
import type { FreshFacts } from '../cluster/fresh-facts.ts';

export interface RayClusterControllerOptions {
  readonly gates: FeatureGates;
  readonly facts: FreshFacts;
  readonly events: EventRecorder;
  readonly namespaces: readonly string[];
  readonly concurrency: number;
}

/** Observe, plan, act for RayClusters. */
export function createRayClusterController(
  world: World,
  options: RayClusterControllerOptions,
): { readonly controller: Controller; readonly informers: readonly Informer[] } {
  const clusters = createInformer(world, {
    type: resources.rayClusters,
    namespaces: options.namespaces,
    project: withoutManagedFields,
  });
  const controller = createController(world, {
    name: 'raycluster',
    concurrency: options.concurrency,
    sources: [
      fromInformer(clusters, {
        when: anyOf(
          changes((cluster) => cluster.metadata?.generation),
          changes((cluster) => cluster.metadata?.labels),
          changes((cluster) => cluster.metadata?.annotations),
        ),
      }),
    ],
    reconcile: (key) => {
      const cluster = clusters.get(key);
      if (cluster === undefined) return Promise.resolve(done);
      const { hasCertManager } = options.facts.current();
      const plan = planRayCluster({ cluster, gates: options.gates, installed: { certManager: hasCertManager } });
      act(plan.actions, { type: resources.rayClusters, object: cluster, events: options.events });
      return Promise.resolve(plan.lookAgainMs === undefined ? done : requeueAfter(plan.lookAgainMs));
    },
  });
  return { controller, informers: [clusters] };
}

/** managedFields are a third of an object's bytes, and nothing here reads them. */
function withoutManagedFields(cluster: RayCluster): RayCluster {
  const { managedFields: _, ...metadata }: { managedFields?: unknown } & RayCluster['metadata'] =
    cluster.metadata ?? {};
  return { ...cluster, metadata };
}
