import { type KubeObject, Label, type RayCluster } from '@manta/api';
import { anyOf, changes, fromInformer, type Source, urgentWhen } from '@manta/runtime';
import { gangOwnerKeys } from '../observe/gang-cache.ts';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';

/** Changes that trigger the reconcile of a RayCluster: of itself, its pods and all child objects, so that manual changes are reverted. */
export function rayClusterSources(cache: RayClusterCache): readonly Source[] {
  const { clusters, pods, services, jobs, secrets, roles, roleBindings, routes, ingresses, claims, budgets } = cache;
  const belonging = [services, jobs, secrets, roles, roleBindings, routes, budgets].filter(
    (each) => each !== undefined,
  );
  return [
    fromInformer(clusters, { when: specOrMetadataChanged, priority: urgentWhen(specOrMetadataChanged, isUnserved) }),
    fromInformer(pods, { keys: ({ namespace, cluster }) => [`${namespace}/${cluster}`] }),
    ...belonging.map((informer) => fromInformer(informer, { keys: ({ belongsTo }) => belongsTo })),
    ...cache.gangs.map(({ informer }) => fromInformer(informer, { keys: gangOwnerKeys('RayCluster') })),
    fromInformer(ingresses, { keys: clustersOf }),
    ...(claims === undefined ? [] : [fromInformer(claims, { keys: clustersOf })]),
  ];
}

/** Our own status writes are no news. */
const specOrMetadataChanged = anyOf<RayCluster>(
  changes((cluster) => cluster.metadata?.generation),
  changes((cluster) => cluster.metadata?.labels),
  changes((cluster) => cluster.metadata?.annotations),
  changes((cluster) => cluster.metadata?.deletionTimestamp),
  // In a foreground deletion the Redis cleanup waits until Kubernetes has removed its finalizer.
  changes(({ metadata }) => metadata?.deletionTimestamp !== undefined && metadata.finalizers),
);

/** Created or changed while no operator ran: after a restart its reconcile has priority over unchanged clusters. */
function isUnserved({ after }: { readonly after?: RayCluster | undefined }): boolean {
  return after !== undefined && after.metadata?.generation !== after.status?.observedGeneration;
}

/** The clusters that an object names by its label or has for its owner. */
function clustersOf({ metadata = {} }: KubeObject): readonly string[] {
  const owners = metadata.ownerReferences?.flatMap(({ kind, name }) => (kind === 'RayCluster' ? [name] : [])) ?? [];
  const names = new Set([
    ...owners,
    ...(metadata.labels?.[Label.Cluster] === undefined ? [] : [metadata.labels[Label.Cluster]]),
  ]);
  return [...names].map((name) => `${metadata.namespace ?? ''}/${name}`);
}
