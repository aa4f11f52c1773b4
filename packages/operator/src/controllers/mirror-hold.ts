import type { ObjectKey } from '@manta/runtime';

/** How long a copy of another object's status may lag behind. */
const HOLD_MS = 1000;

/**
 * Debounces copies of another object's status. While a cluster comes up, its status changes several times, and users who follow it closely
 * watch the cluster itself. A copy is written together with the next change that the job's users wait for, and after one second at the
 * latest.
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
