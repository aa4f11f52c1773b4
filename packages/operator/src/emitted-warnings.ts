import type { Action, EventAction } from '@manta/plan';
import type { ObjectKey } from '@manta/runtime';

/** The API server forgets events after an hour; what still stands is then worth telling again. */
const AGAIN_MS = 3_600_000;

/**
 * Keeps what a plan says every time from being told every time: a warning is told when it comes up, when the object was changed and it
 * still holds, and once an hour. One that has gone and comes back is told again.
 */
export class EmittedWarnings {
  readonly #told = new Map<ObjectKey, ReadonlyMap<string, number>>();

  /** The actions without those that would only repeat what was told. */
  withoutRepeats(
    key: ObjectKey,
    actions: readonly Action[],
    when: { readonly generation: number | undefined; readonly now: number },
  ): readonly Action[] {
    const before = this.#told.get(key);
    const told = new Map<string, number>();
    const kept = actions.filter((action) => {
      if (action.type !== 'event') return true;
      const words = wordsOf(action, when.generation);
      const last = before?.get(words);
      const isDue = last === undefined || when.now - last >= AGAIN_MS;
      told.set(words, isDue ? when.now : last);
      return isDue;
    });
    if (told.size === 0) this.#told.delete(key);
    else this.#told.set(key, told);
    return kept;
  }

  forget(key: ObjectKey): void {
    this.#told.delete(key);
  }
}

function wordsOf({ event: { reason, note } }: EventAction, generation: number | undefined): string {
  return `${generation ?? 0} ${reason} ${note}`;
}
