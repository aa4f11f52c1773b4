import type { RayCluster } from '@manta/api';
import { proxyPath } from '@manta/kube';
import { headDashboardPort, type PodRecord, type RayNodeRecord } from '@manta/plan';
import type { RayHead, RayPoller } from '@manta/ray';
import type { ObjectKey } from '@manta/runtime';
import { hostOf } from './host-of.ts';
import type { RayHeads } from './ray-heads.ts';

/** Ray's own lists of nodes, as far as its heads were asked and have answered. */
export interface RayNodeLists {
  /** Asks these heads from now on, and no others; what they have answered so far, by the uid of the head pod. Never waits for Ray. */
  of(
    key: ObjectKey,
    cluster: RayCluster,
    heads: readonly PodRecord[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly RayNodeRecord[]>>;
  /** The cluster no longer exists. */
  forget(key: ObjectKey): void;
}

export interface RayNodeListsOptions {
  readonly poller: Pick<RayPoller, 'ask' | 'release' | 'forget'>;
  readonly heads: Pick<RayHeads, 'find'>;
  /** Ask through the API server. */
  readonly throughApiServer: boolean;
}

const EVERY_MS = 5_000;

/** The name by which the poller knows a cluster. */
export function rayClusterOwner(key: ObjectKey): string {
  return `raycluster/${key}`;
}

export function createRayNodeLists({ poller, heads, throughApiServer }: RayNodeListsOptions): RayNodeLists {
  const asking = new Set<ObjectKey>();

  /** One head is found by its Service; of several each has to be asked by itself. */
  async function locate(cluster: RayCluster, pod: PodRecord, isOnly: boolean, signal: AbortSignal) {
    const port = cluster.spec === undefined ? 0 : headDashboardPort(cluster.spec);
    const found = await heads.find(cluster, isOnly ? { signal } : { address: `${hostOf(pod.podIP)}:${port}`, signal });
    if (!found.isFound) return undefined;
    const session = `${cluster.metadata?.uid ?? ''}/${pod.uid}`;
    const target = { kind: 'pods', namespace: pod.namespace, name: pod.name, port } as const;
    const url = throughApiServer && !isOnly ? proxyPath(target, '') : found.head.url;
    return { ...found.head, url, session } satisfies RayHead;
  }

  return {
    async of(key, cluster, pods, signal) {
      const lists = new Map<string, readonly RayNodeRecord[]>();
      if (pods.length === 0) {
        if (asking.delete(key)) poller.release(rayClusterOwner(key));
        return lists;
      }
      asking.add(key);
      for (const pod of pods) {
        const head = await locate(cluster, pod, pods.length === 1, signal);
        if (head === undefined) continue;
        const answer = poller.ask(head, { kind: 'nodes' }, { owner: rayClusterOwner(key), everyMs: EVERY_MS });
        if (answer.kind === 'known') lists.set(pod.uid, answer.value);
      }
      return lists;
    },
    forget(key) {
      if (asking.delete(key)) poller.forget(rayClusterOwner(key));
    },
  };
}
