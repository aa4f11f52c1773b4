import type { RayJobStatus } from '@manta/api';
import type { ObjectKey } from '@manta/runtime';

/**
 * Remembers for which attempts this process has written the names down itself and has made no cluster since: then nobody has. A process that
 * starts knows of none.
 */
export class UnmadeClusters {
  readonly #attempts = new Map<ObjectKey, string>();

  /** The names of an attempt have been written down. */
  add(key: ObjectKey, status: RayJobStatus): void {
    this.#attempts.set(key, attemptOf(status));
  }

  /** There is a cluster, or there was one. */
  delete(key: ObjectKey): void {
    this.#attempts.delete(key);
  }

  /** Whether the attempt that this status tells of is such a one. */
  has(key: ObjectKey, status: RayJobStatus): boolean {
    return this.#attempts.get(key) === attemptOf(status);
  }
}

function attemptOf({ rayClusterName, attempts }: RayJobStatus): string {
  return JSON.stringify([rayClusterName, attempts?.at(-1)?.number]);
}
