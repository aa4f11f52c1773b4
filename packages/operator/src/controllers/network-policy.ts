import { Label, type NetworkPolicy } from '@manta/api';
import { resources } from '@manta/kube';
import { type BuildContext, buildNetworkPolicies, type ObservedRayCluster, planNetworkPolicies } from '@manta/plan';
import {
  type Controller,
  changes,
  createController,
  createInformer,
  done,
  type EventRecorder,
  fromInformer,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  toKey,
  type World,
} from '@manta/runtime';
import { act } from '../act/act.ts';
import { EmittedWarnings } from '../emitted-warnings.ts';
import { withoutManagedFields } from '../observe/child-records.ts';
import { informerOf, type RayClusterCache } from '../observe/ray-cluster-cache.ts';

export interface NetworkPolicyControllerOptions {
  readonly context: BuildContext;
  readonly installed: ObservedRayCluster['installed'];
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly policies: NetworkPolicyCache;
  readonly concurrency: number;
}

/** Local copies of all NetworkPolicies; of those that are not about a RayCluster no more than the name. */
export type NetworkPolicyCache = Informer<NetworkPolicy, 'cluster'>;

export function createNetworkPolicyCache(world: World, namespaces: readonly string[]): NetworkPolicyCache {
  return createInformer(world, {
    type: resources.networkPolicies,
    namespaces,
    project: (policy) => (clusterOf(policy) === undefined ? nameOnly(policy) : withoutManagedFields(policy)),
    indexes: { cluster: (policy) => clusterOf(policy) ?? [] },
  });
}

/** Observe, plan, act: for the NetworkPolicies of RayClusters. */
export function createNetworkPolicyController(world: World, options: NetworkPolicyControllerOptions): Controller {
  const { cache, policies, context, installed, events } = options;
  const warnings = new EmittedWarnings();

  async function reconcile(key: string, pass: ReconcileContext): Promise<ReconcileResult> {
    const cluster = cache.clusters.get(key);
    if (cluster === undefined) {
      warnings.forget(key);
      return done;
    }
    const { namespace = '' } = cluster.metadata ?? {};
    const named = (cluster.spec === undefined ? [] : buildNetworkPolicies(cluster, cluster.spec)).flatMap(
      ({ metadata }) => policies.get(toKey(namespace, metadata?.name ?? '')) ?? [],
    );
    const seen = [...new Set([...policies.by('cluster', key), ...named])];
    const { actions, requeueAfterMs } = planNetworkPolicies({ cluster, context, installed, policies: seen });
    const when = { now: world.clock.now(), generation: cluster.metadata?.generation };
    const outcome = await act(warnings.withoutRepeats(key, actions, when), {
      client: world.client,
      clock: world.clock,
      kind: 'RayCluster',
      object: cluster,
      events,
      context: pass,
      informerOf: (kind) => (kind === 'NetworkPolicy' ? policies : informerOf(cache, kind)),
    });
    if (outcome.kind !== 'done') throw new Error(outcome.message);
    return requeueAfterMs === undefined ? done : requeueAfter(requeueAfterMs);
  }

  return createController(world, {
    name: 'networkpolicy',
    kind: 'RayCluster',
    concurrency: options.concurrency,
    required: [cache.clusters, policies],
    sources: [
      fromInformer(cache.clusters, { when: changes((cluster) => cluster.metadata?.generation) }),
      fromInformer(policies, { keys: (policy) => clusterOf(policy) ?? [] }),
    ],
    reconcile,
  });
}

/** The cluster that a policy is about, by its label; of one that has lost it, by its owner. */
function clusterOf({ metadata }: NetworkPolicy): readonly string[] | undefined {
  const owner = metadata?.ownerReferences?.find(({ kind, controller }) => controller === true && kind === 'RayCluster');
  const name = metadata?.labels?.[Label.Cluster] ?? owner?.name;
  return name === undefined ? undefined : [toKey(metadata?.namespace ?? '', name)];
}

function nameOnly({ metadata = {} }: NetworkPolicy): NetworkPolicy {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return { metadata: { name, namespace, uid, resourceVersion } };
}
