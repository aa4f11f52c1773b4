import type { ObjectKey } from '@manta/runtime';

/**
 * Remembers when we first saw that a submitter had ended, by our own clock: what Ray was asked after that moment is newer than the end,
 * however much the clocks of the machines differ. A process that starts has asked nothing before.
 */
export class SubmitterEnds {
  readonly #seen = new Map<ObjectKey, { readonly end: number; readonly at: number }>();

  /** `end` is when it ended by its own clock; undefined while it works. */
  seenAt(key: ObjectKey, end: number | undefined, now: number): number | undefined {
    if (end === undefined) {
      this.#seen.delete(key);
      return undefined;
    }
    const known = this.#seen.get(key);
    // After the clock was set back, Ray is asked once more.
    if (known?.end === end && known.at <= now) return known.at;
    // What is asked in this very moment counts.
    this.#seen.set(key, { end, at: now - 1 });
    return now - 1;
  }

  forget(key: ObjectKey): void {
    this.#seen.delete(key);
  }
}
