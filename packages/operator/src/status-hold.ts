import type { ObjectKey } from '@manta/runtime';

/** How long changes of counters wait for more of their kind. */
const HOLD_MS = 1_000;

/**
 * Folds status writes. While a cluster comes up its counters change with every pod; written one by one they would be most of what the
 * API server has to do. Such changes wait up to a second since the last write (or since the cluster was first seen) and go out
 * together; what somebody may be waiting for goes out at once.
 */
export class StatusHold {
  readonly #since = new Map<ObjectKey, number>();

  /** How long a change may wait from now on; 0 means: write it. */
  waitMs(key: ObjectKey, isUrgent: boolean, now: number): number {
    const since = this.#since.get(key);
    if (since === undefined) this.#since.set(key, now);
    return isUrgent ? 0 : Math.max(0, (since ?? now) + HOLD_MS - now);
  }

  wrote(key: ObjectKey, now: number): void {
    this.#since.set(key, now);
  }

  forget(key: ObjectKey): void {
    this.#since.delete(key);
  }
}
