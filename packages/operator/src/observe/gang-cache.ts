import type { KubeObject } from '@manta/api';
import { type ResourceType, resources } from '@manta/kube';
import {
  type BatchSchedulerName,
  type GangKind,
  type GangRecord,
  schedulerOf,
  withoutManagedFields,
  type WrittenKind,
} from '@manta/plan';
import { createInformer, type Informer, type ObjectKey, refOf, toKey, type World } from '@manta/runtime';

/** The resource of each kind of batch scheduler object. */
export const GANG_TYPES: Readonly<Record<GangKind, ResourceType>> = {
  VolcanoPodGroup: resources.volcanoPodGroups,
  PluginsPodGroup: resources.schedulerPluginsPodGroups,
  Workload: resources.workloads,
  WorkloadPodGroup: resources.workloadPodGroups,
};

/** Caches of the batch scheduler's objects; empty without a scheduler, or if it needs no objects. */
export type GangCache = readonly GangSource[];

interface GangSource {
  readonly kind: GangKind;
  readonly nameFor: (owner: string) => string;
  readonly informer: Informer<GangObject>;
}

type GangObject = KubeObject & { readonly spec?: unknown };
type OwnerKind = 'RayCluster' | 'RayJob';

export function createGangCache(
  world: World,
  scheduler: BatchSchedulerName | undefined,
  namespaces: readonly string[],
): GangCache {
  return (schedulerOf({ batchScheduler: scheduler })?.objects ?? []).map(({ kind, nameFor }) => ({
    kind,
    nameFor,
    // The scheduler may be installed after us.
    informer: createInformer(world, {
      type: GANG_TYPES[kind],
      namespaces,
      isForeign: true,
      project: withoutManagedFields<GangObject>,
    }),
  }));
}

/** Existing objects with the names that a RayCluster or RayJob uses, whatever their owner. */
export function gangRecords(cache: GangCache, owner: ObjectKey): readonly GangRecord[] {
  const { namespace = '', name } = refOf(owner);
  return cache.flatMap(({ kind, nameFor, informer }) => {
    const object = informer.get(toKey(namespace, nameFor(name)));
    return object === undefined ? [] : [{ kind, object }];
  });
}

/** The keys of owners of a kind. */
export function gangOwnerKeys(kind: OwnerKind): (object: GangObject) => readonly ObjectKey[] {
  return ({ metadata }) =>
    (metadata?.ownerReferences ?? []).flatMap((owner) =>
      owner.kind === kind && owner.apiVersion.startsWith('ray.io/')
        ? [toKey(metadata?.namespace ?? '', owner.name)]
        : [],
    );
}

/** The informer of this kind, if it is a batch scheduler's. */
export function gangInformer(cache: GangCache, kind: WrittenKind): Informer | undefined {
  return cache.find((source) => source.kind === kind)?.informer;
}
