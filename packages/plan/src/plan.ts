/** What is to be done about one object, decided from what was observed of it: a list of actions and when to look again. */
export interface Plan {
  readonly actions: readonly Action[];
  /** Look again after this long even if nothing changes; absent: only when something does. */
  readonly lookAgainMs?: number;
}

/** One effect on the world. The operator carries them out in order; nothing else writes. */
export type Action = { readonly type: 'event'; readonly event: PlannedEvent };

/** Something to tell the user about the object. */
export interface PlannedEvent {
  readonly severity: 'Normal' | 'Warning';
  readonly reason: string;
  /** What was done or tried, e.g. `Validate`. */
  readonly action: string;
  readonly note: string;
}

/** Nothing to do until something changes. */
export const NOTHING: Plan = { actions: [] };

/** A warning that validation gives. */
export function validationWarning(reason: string, note: string): Action {
  return { type: 'event', event: { severity: 'Warning', reason, action: 'Validate', note } };
}
