import type { LastHolder, PodRecord } from '@manta/plan';
import { HEAD_PLACE, placeName } from '@manta/plan';
import type { Informer, ObjectKey } from '@manta/runtime';

/**
 * Remembers which worker last held a place and is gone (or, its labels changed, holds it no longer), so that its successor gets another
 * name. Ray's autoscaler knows nodes by their pods' names: it would take a successor of the same name, made between two of its looks, for
 * the one that has ended, and remove it. After a restart names start over, which is safe once it has seen that the pods are gone.
 * Heads have names that follow from what is stored; that one is gone tells that a cluster has had one, also where its status does not yet.
 */
export class LastHolders {
  /** By the cluster's name, then by its uid: one that was made anew has had no workers yet. */
  readonly #byCluster = new Map<ObjectKey, Map<string, Map<string, LastHolder>>>();

  constructor(pods: Informer<PodRecord, 'cluster'>) {
    pods.onChange(({ before, after }) => {
      if (before !== undefined && (after === undefined || whereOf(before) !== whereOf(after))) this.#remember(before);
    });
  }

  of(cluster: ObjectKey, uid: string): ReadonlyMap<string, LastHolder> {
    return this.#byCluster.get(cluster)?.get(uid) ?? NONE;
  }

  /** These are gone: the server said so before the cache did. */
  gone(pods: readonly PodRecord[]): void {
    for (const pod of pods) this.#remember(pod);
  }

  forget(cluster: ObjectKey): void {
    this.#byCluster.delete(cluster);
  }

  #remember(pod: PodRecord): void {
    if (pod.owner === undefined) return;
    const key = `${pod.namespace}/${pod.cluster}`;
    const owners = this.#byCluster.get(key) ?? new Map<string, Map<string, LastHolder>>();
    const places = owners.get(pod.owner) ?? new Map<string, LastHolder>();
    const { uid, name } = pod;
    places.set(pod.head === undefined ? `${pod.group}/${placeOf(pod)}` : HEAD_PLACE, { uid, name });
    this.#byCluster.set(key, owners.set(pod.owner, places));
  }
}

const NONE: ReadonlyMap<string, LastHolder> = new Map();

function whereOf(pod: PodRecord): string {
  return [pod.cluster, pod.group, placeOf(pod)].join('/');
}

function placeOf({ replicaIndex, replicaName, hostIndex }: PodRecord): string {
  const index = replicaIndex ?? 0;
  return placeName(replicaName === undefined ? { index } : { index, host: { replicaName, index: hostIndex ?? 0 } });
}
