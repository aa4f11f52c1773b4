import { Label, LabelValue, NodeType, type PersistentVolumeClaim, type RayCluster } from '@manta/api';
import { resources } from '@manta/kube';
import {
  type BatchSchedulerName,
  type Belonging,
  type JobRecord,
  jobRecord,
  labelledRecord,
  type LiveIngress,
  namedRecord,
  type NamedRecord,
  originKeys,
  type PodRecord,
  podRecord,
  roleBindingRecord,
  type RoleBindingRecord,
  type RoleRecord,
  roleRecord,
  routeRecord,
  type RouteRecord,
  serviceRecord,
  type ServiceRecord,
  withoutManagedFields,
  type WrittenKind,
} from '@manta/plan';
import { createInformer, type Informer, type World } from '@manta/runtime';
import { clusterRecords } from './cluster-record.ts';
import { createGangCache, type GangCache, gangInformer } from './gang-cache.ts';
import { liveIngress } from './inherited-annotations.ts';
import { POD_SHAPE } from './pod-shape.ts';

/** Caches of RayClusters and their child objects. */
export interface RayClusterCache {
  readonly clusters: Informer<RayCluster, 'origin'>;
  readonly pods: Informer<PodRecord, 'cluster'>;
  readonly services: Informer<Belonging<ServiceRecord>, 'cluster' | 'origin'>;
  readonly jobs: Informer<Belonging<JobRecord>, 'cluster'>;
  readonly serviceAccounts: Informer<NamedRecord>;
  readonly roles: Informer<Belonging<RoleRecord>, 'cluster'>;
  readonly roleBindings: Informer<Belonging<RoleBindingRecord>, 'cluster'>;
  readonly secrets: Informer<Belonging<NamedRecord>, 'cluster'>;
  readonly ingresses: Informer<LiveIngress>;
  /** Only if embedded GCS storage is enabled. */
  readonly claims: Informer<PersistentVolumeClaim> | undefined;
  /** Only if PodDisruptionBudgets for heads are enabled. */
  readonly budgets: Informer<Belonging<NamedRecord>, 'cluster'> | undefined;
  /** Only on OpenShift. */
  readonly routes: Informer<Belonging<RouteRecord>, 'cluster'> | undefined;
  /** Objects of the batch scheduler. */
  readonly gangs: GangCache;
}

export interface CacheOptions {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly hasClaims: boolean;
  readonly hasRoutes: boolean;
  readonly hasBudgets?: boolean;
  readonly batchScheduler?: BatchSchedulerName | undefined;
}

/** Pods of Ray, whichever cluster they belong to. */
export const OUR_PODS = `${Label.NodeType} in (${Object.values(NodeType).join(',')})`;
const OUR_JOBS = `${Label.AppCreatedBy}=${LabelValue.CreatedBy}`;

export function createRayClusterCache(
  world: World,
  { namespaces, hasClaims, hasRoutes, hasBudgets = false, batchScheduler }: CacheOptions,
): RayClusterCache {
  const byCluster = { indexes: { cluster: ({ belongsTo }: Belonging<object>) => belongsTo } };
  // Of these only the name and the owner matter; all but the accounts, which users may bring themselves, carry our label.
  const named = { namespaces, content: 'metadata', project: namedRecord } as const;
  const ours = { namespaces, labelSelector: Label.Cluster, ...byCluster };
  const labelled = { ...named, ...ours, project: labelledRecord };
  return {
    clusters: createInformer(world, {
      type: resources.rayClusters,
      namespaces,
      project: clusterRecords(),
      indexes: { origin: ({ metadata }) => originKeys(metadata?.namespace, metadata?.labels) },
    }),
    pods: createInformer(world, {
      type: resources.pods,
      namespaces,
      labelSelector: OUR_PODS,
      shape: POD_SHAPE,
      project: podRecord,
      indexes: { cluster: (pod) => [`${pod.namespace}/${pod.cluster}`] },
    }),
    services: createInformer(world, {
      type: resources.services,
      namespaces,
      project: serviceRecord,
      indexes: {
        ...byCluster.indexes,
        origin: ({ service, labels }) => originKeys(service?.metadata?.namespace, labels),
      },
    }),
    jobs: createInformer(world, {
      type: resources.jobs,
      namespaces,
      labelSelector: OUR_JOBS,
      project: jobRecord,
      ...byCluster,
    }),
    serviceAccounts: createInformer(world, { type: resources.serviceAccounts, ...named }),
    roles: createInformer(world, { ...ours, type: resources.roles, project: roleRecord }),
    roleBindings: createInformer(world, { ...ours, type: resources.roleBindings, project: roleBindingRecord }),
    secrets: createInformer(world, { type: resources.secrets, ...labelled }),
    ingresses: createInformer(world, { type: resources.ingresses, namespaces, content: 'full', project: liveIngress }),
    claims: hasClaims
      ? createInformer(world, { type: resources.persistentVolumeClaims, namespaces, project: withoutManagedFields })
      : undefined,
    budgets: hasBudgets ? createInformer(world, { type: resources.podDisruptionBudgets, ...labelled }) : undefined,
    routes: hasRoutes ? createInformer(world, { ...ours, type: resources.routes, project: routeRecord }) : undefined,
    gangs: createGangCache(world, batchScheduler, namespaces),
  };
}

/** Without these nothing can be decided. */
export function requiredInformers({ clusters, pods, services }: RayClusterCache): readonly Informer[] {
  return [clusters, pods, services];
}

export function optionalInformers(cache: RayClusterCache): readonly Informer[] {
  const { jobs, serviceAccounts, roles, roleBindings, secrets, ingresses, claims, routes, budgets, gangs } = cache;
  const gangInformers = gangs.map(({ informer }) => informer);
  return [
    ...[jobs, serviceAccounts, roles, roleBindings, secrets, ingresses, claims, routes, budgets].filter(
      (informer) => informer !== undefined,
    ),
    ...gangInformers,
  ];
}

/** The informer that will show a write; undefined for kinds that are not watched. */
export function informerOf(cache: RayClusterCache, kind: WrittenKind): Informer | undefined {
  const informers: Readonly<Partial<Record<WrittenKind, Informer | undefined>>> = {
    RayCluster: cache.clusters,
    Pod: cache.pods,
    Service: cache.services,
    ServiceAccount: cache.serviceAccounts,
    Role: cache.roles,
    RoleBinding: cache.roleBindings,
    Ingress: cache.ingresses,
    Route: cache.routes,
    Secret: cache.secrets,
    PersistentVolumeClaim: cache.claims,
    Job: cache.jobs,
    PodDisruptionBudget: cache.budgets,
  };
  return informers[kind] ?? gangInformer(cache.gangs, kind);
}
