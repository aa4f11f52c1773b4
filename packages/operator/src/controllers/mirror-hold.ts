import type { ObjectKey } from '@manta/runtime';

/** How long a copy of another object's status may lag behind. */
const HOLD_MS = 3000;

/**
 * Lets copies of another object's status wait for more of their kind. While a cluster comes up its status changes every now and then, and
 * whoever follows it closely looks at the cluster itself; the copy goes out with the next change of what the job's users wait for, or
 * when it has waited for three seconds.
 */
export class MirrorHold {
  readonly #since = new Map<ObjectKey, number>();

  /** How long the change may wait from now on; 0 means: write it. */
  waitMs(key: ObjectKey, isUrgent: boolean, now: number): number {
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    // A clock that was set back does not make anyone wait longer.
    return isUrgent || since > now ? 0 : Math.max(0, since + HOLD_MS - now);
  }

  /** What waited has been written, or there is nothing to write any more. */
  release(key: ObjectKey): void {
    this.#since.delete(key);
  }
}
