import type { Time } from '@manta/api';
import type { ObjectKey } from '@manta/runtime';

/** The time of day, and one that passes evenly however the machine's clock is set. */
export interface Moment {
  readonly now: number;
  readonly steady: number;
}

interface Silence {
  /** As the status has it. */
  readonly noted: Time;
  /** How long it had lasted, by the time of day, when this process first saw the note. */
  readonly beforeMs: number;
  readonly seenAt: number;
}

/**
 * Measures for how long the status checks of a job have failed. A clock that is set forward by ten minutes must not end the operator's
 * patience at once: only what passed before this process saw the note is measured by the time of day.
 */
export class Silences {
  readonly #byJob = new Map<ObjectKey, Silence>();

  /** Since when, by the present time of day; undefined while nothing is noted. */
  since(key: ObjectKey, noted: Time | undefined, { now, steady }: Moment): number | undefined {
    if (noted === undefined) {
      this.#byJob.delete(key);
      return undefined;
    }
    const known = this.#byJob.get(key);
    const beforeMs = Math.max(0, now - Date.parse(noted));
    const silence = known?.noted === noted ? known : { noted, beforeMs, seenAt: steady };
    this.#byJob.set(key, silence);
    return now - silence.beforeMs - (steady - silence.seenAt);
  }

  forget(key: ObjectKey): void {
    this.#byJob.delete(key);
  }
}
