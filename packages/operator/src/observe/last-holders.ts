import type { PodRecord } from '@manta/plan';
import { HEAD_PLACE, placeName } from '@manta/plan';
import type { Informer, ObjectKey } from '@manta/runtime';

/**
 * Remembers which pod last held a place and is gone (or, its labels changed, holds it no longer), so that its successor gets another name: Ray's autoscaler knows nodes by their
 * pods' names. It is a convenience, not a safeguard: after a restart names start over, which is safe since the pods are gone.
 */
export class LastHolders {
  readonly #byCluster = new Map<ObjectKey, Map<string, string>>();

  constructor(pods: Informer<PodRecord, 'cluster'>) {
    pods.onChange(({ before, after }) => {
      if (before !== undefined && (after === undefined || whereOf(before) !== whereOf(after))) this.#remember(before);
    });
  }

  of(cluster: ObjectKey): ReadonlyMap<string, string> {
    return this.#byCluster.get(cluster) ?? NONE;
  }

  forget(cluster: ObjectKey): void {
    this.#byCluster.delete(cluster);
  }

  #remember(pod: PodRecord): void {
    const key = `${pod.namespace}/${pod.cluster}`;
    const places = this.#byCluster.get(key) ?? new Map<string, string>();
    this.#byCluster.set(key, places.set(`${pod.group}/${placeOf(pod)}`, pod.uid));
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

function whereOf(pod: PodRecord): string {
  return [pod.cluster, pod.group, placeOf(pod)].join('/');
}

function placeOf({ head, replicaIndex, replicaName, hostIndex }: PodRecord): string {
  if (head !== undefined) return HEAD_PLACE;
  const index = replicaIndex ?? 0;
  return placeName(replicaName === undefined ? { index } : { index, host: { replicaName, index: hostIndex ?? 0 } });
}
