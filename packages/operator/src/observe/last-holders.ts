import type { LastHolder, PodRecord } from '@manta/plan';
import { HEAD_PLACE, placeName } from '@manta/plan';
import type { Informer, ObjectKey } from '@manta/runtime';

/**
 * Remembers the deleted (or relabelled) worker that last had a place, so that its successor gets another name. Ray's autoscaler identifies
 * nodes by pod name: it would confuse a successor of the same name with the deleted pod, and remove it. A restart of the operator loses this;
 * names start over, which is safe once the autoscaler has observed the deletions. Names of heads are derived from the status instead. For
 * heads this records that a cluster had one, even if its status does not say so yet.
 */
export class LastHolders {
  /** By the cluster's name, then its uid: a recreated cluster has had no workers yet. */
  readonly #byCluster = new Map<ObjectKey, Map<string, Map<string, LastHolder>>>();

  constructor(pods: Informer<PodRecord, 'cluster'>) {
    pods.onChange(({ before, after }) => {
      if (before !== undefined && (after === undefined || whereOf(before) !== whereOf(after))) this.#remember(before);
    });
  }

  of(cluster: ObjectKey, uid: string): ReadonlyMap<string, LastHolder> {
    return this.#byCluster.get(cluster)?.get(uid) ?? NONE;
  }

  /** These pods no longer exist: the API server reported it before the cache. */
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
