import type { Action, EventAction } from '@manta/plan';

/** The API server deletes events after an hour; a warning that still holds is then emitted again. */
const REPEAT_AFTER_MS = 3_600_000;

/** When each event that the last plan contained was emitted, by generation, reason and note. */
export type EmittedEvents = ReadonlyMap<string, number>;

export const NO_EVENTS: EmittedEvents = new Map();

/**
 * The actions without events that would only repeat earlier ones. An event is emitted when it comes up, when the spec has changed and it
 * still holds, and once an hour. An event that a plan left out and that comes back is emitted again.
 */
export function withoutRepeats(
  emitted: EmittedEvents,
  actions: readonly Action[],
  when: { readonly generation: number | undefined; readonly now: number },
): { readonly actions: readonly Action[]; readonly emitted: EmittedEvents } {
  const next = new Map<string, number>();
  const kept = actions.filter((action) => {
    if (action.type !== 'event') return true;
    const id = idOf(action, when.generation);
    const last = emitted.get(id);
    const isDue = last === undefined || when.now - last >= REPEAT_AFTER_MS;
    next.set(id, isDue ? when.now : last);
    return isDue;
  });
  return { actions: kept, emitted: next.size === 0 ? NO_EVENTS : next };
}

function idOf({ event: { reason, note } }: EventAction, generation: number | undefined): string {
  return `${generation ?? 0} ${reason} ${note}`;
}
