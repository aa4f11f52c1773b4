import { Label, type NetworkPolicy, type RayClusterStatus } from '@manta/api';
import { resources } from '@manta/kube';
import {
  type BuildContext,
  buildNetworkPolicies,
  type ObservedNetworkPolicies,
  type ObservedRayCluster,
  planNetworkPolicies,
  withoutManagedFields,
} from '@manta/plan';
import {
  type Controller,
  changes,
  createController,
  createInformer,
  type EventRecorder,
  fromInformer,
  type Informer,
  toKey,
  type World,
} from '@manta/runtime';
import { informerOf, type RayClusterCache } from '../observe/ray-cluster-cache.ts';
import type { KindDefinition } from '../reconcile/kind-definition.ts';
import { createReconciler } from '../reconcile/reconciler.ts';

export interface NetworkPolicyControllerOptions {
  readonly context: BuildContext;
  readonly installed: ObservedRayCluster['installed'];
  readonly events: EventRecorder;
  readonly cache: RayClusterCache;
  readonly policies: NetworkPolicyCache;
  readonly concurrency: number;
}

/** Local copies of all NetworkPolicies; only the name of those that belong to no RayCluster. */
export type NetworkPolicyCache = Informer<NetworkPolicy, 'cluster'>;

export function createNetworkPolicyCache(world: World, namespaces: readonly string[]): NetworkPolicyCache {
  return createInformer(world, {
    type: resources.networkPolicies,
    namespaces,
    project: (policy) => (clusterOf(policy) === undefined ? nameOnly(policy) : withoutManagedFields(policy)),
    indexes: { cluster: (policy) => clusterOf(policy) ?? [] },
  });
}

/** Reconciles the NetworkPolicies of RayClusters. */
export function createNetworkPolicyController(world: World, options: NetworkPolicyControllerOptions): Controller {
  const { cache, policies } = options;
  return createController(world, {
    name: 'networkpolicy',
    kind: 'RayCluster',
    concurrency: options.concurrency,
    required: [cache.clusters, policies],
    sources: [
      fromInformer(cache.clusters, { when: changes((cluster) => cluster.metadata?.generation) }),
      fromInformer(policies, { keys: (policy) => clusterOf(policy) ?? [] }),
    ],
    reconcile: createReconciler(world, networkPolicyDefinition(options)),
  });
}

function networkPolicyDefinition({
  cache,
  policies,
  context,
  installed,
  events,
}: NetworkPolicyControllerOptions): KindDefinition<ObservedNetworkPolicies, RayClusterStatus> {
  return {
    kind: 'RayCluster',
    events,
    informerOf: (kind) => (kind === 'NetworkPolicy' ? policies : informerOf(cache, kind)),
    emptyMemory: undefined,
    deduplicatesEvents: true,
    async observe({ key, namespace }) {
      const cluster = cache.clusters.get(key);
      if (cluster === undefined) return undefined;
      const wanted = cluster.spec === undefined ? [] : buildNetworkPolicies(cluster, cluster.spec);
      const named = wanted.flatMap(({ metadata }) => policies.get(toKey(namespace, metadata?.name ?? '')) ?? []);
      return { cluster, context, installed, policies: [...new Set([...policies.by('cluster', key), ...named])] };
    },
    objectOf: ({ cluster }) => cluster,
    plan: planNetworkPolicies,
  };
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
