import { createInformer, type Informer, type InformerWorld } from '@manta/runtime';
import { STREAMED_KINDS, type StreamedKind } from '../protocol.ts';
import { type CachedObject, STREAMED_TYPES, toCached } from './streamed-kinds.ts';

/** One shared cache for each streamed kind, read with the console's own account; viewers see it through their access only. */
export type Caches = Readonly<Record<StreamedKind, Informer<CachedObject>>>;

export function createCaches(world: InformerWorld): Caches {
  const one = (kind: StreamedKind) =>
    createInformer(world, { type: STREAMED_TYPES[kind], project: (object) => toCached(kind, object) });
  return {
    RayCluster: one('RayCluster'),
    RayJob: one('RayJob'),
    RayService: one('RayService'),
    RayCronJob: one('RayCronJob'),
    Pod: one('Pod'),
    Event: one('Event'),
    Node: one('Node'),
  };
}

/** Follows all kinds until the signal is aborted. */
export async function runCaches(caches: Caches, signal: AbortSignal): Promise<void> {
  await Promise.all(STREAMED_KINDS.map((kind) => caches[kind].run(signal)));
}

const RAY_KINDS: readonly StreamedKind[] = ['RayCluster', 'RayJob', 'RayService', 'RayCronJob'];

export function isRayKind(kind: StreamedKind): boolean {
  return RAY_KINDS.includes(kind);
}

/** Namespaces with Ray objects: those for which a viewer without cluster-wide rights is checked. */
export function rayNamespaces(caches: Caches): readonly string[] {
  return [
    ...new Set(RAY_KINDS.flatMap((kind) => Array.from(caches[kind].records(), ({ namespace }) => namespace))),
  ].toSorted();
}
