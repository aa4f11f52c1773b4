import type { ObjectKey } from '@manta/runtime';

/** Remembers since when something that should be there has been missed, by our own clock; a process that starts has missed nothing before. */
export class Absences {
  readonly #since = new Map<ObjectKey, number>();

  /** Undefined while it is there. */
  since(key: ObjectKey, isMissing: boolean, now: number): number | undefined {
    if (!isMissing) {
      this.#since.delete(key);
      return undefined;
    }
    // After the clock was set back the time begins anew.
    const since = Math.min(this.#since.get(key) ?? now, now);
    this.#since.set(key, since);
    return since;
  }

  forget(key: ObjectKey): void {
    this.#since.delete(key);
  }
}
