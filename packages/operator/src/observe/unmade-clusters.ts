import type { RayJobStatus } from '@manta/api';
import type { ObjectKey } from '@manta/runtime';

/**
 * Remembers the clusters whose names this process has written down itself, and has not made since: then nobody has. A process that starts
 * knows of none.
 */
export class UnmadeClusters {
  readonly #names = new Map<ObjectKey, string | undefined>();

  /** The name of a cluster has been written down for a job. */
  add(key: ObjectKey, { rayClusterName }: RayJobStatus): void {
    this.#names.set(key, rayClusterName);
  }

  /** There is a cluster, or there was one. */
  delete(key: ObjectKey): void {
    this.#names.delete(key);
  }

  /** Whether the cluster that this status names is such a one. Attempts have names of their own, also where a server keeps no list of them. */
  has(key: ObjectKey, { rayClusterName }: RayJobStatus): boolean {
    return rayClusterName !== undefined && this.#names.get(key) === rayClusterName;
  }
}
