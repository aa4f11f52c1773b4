import type { ObjectKey } from '@manta/runtime';

/**
 * Remembers since when something that should exist has been missing. Time is measured by `steady`, which passes evenly however the clock
 * is set; a process that starts has missed nothing before.
 */
export class Absences {
  readonly #since = new Map<ObjectKey, number>();

  /** By the present time of day; undefined while it exists. */
  since(key: ObjectKey, isMissing: boolean, now: number, steady = now): number | undefined {
    if (!isMissing) {
      this.#since.delete(key);
      return undefined;
    }
    // Without a steady clock: after the clock was set back the time begins anew.
    const since = Math.min(this.#since.get(key) ?? steady, steady);
    this.#since.set(key, since);
    return now - (steady - since);
  }

  forget(key: ObjectKey): void {
    this.#since.delete(key);
  }
}
