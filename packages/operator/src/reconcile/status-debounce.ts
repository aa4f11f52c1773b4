import type { PlanOutcome } from '@manta/plan';

/**
 * How status writes of one kind are combined. While a cluster starts, its status changes with every pod; written one by one these changes
 * would be most of the API server's work. Urgent changes are written at once; others wait for the end of a window.
 */
export interface StatusDebounce<Object, Status> {
  /** Whether a user or another controller may be waiting for this change. */
  isUrgent(object: Object, after: Status, outcome: PlanOutcome): boolean;
  /** How long other changes may wait. */
  readonly windowMs: number;
  /** When the window starts: with the last write, or with the first change since then. */
  readonly windowStart: 'last-write' | 'first-change';
  /** For an object without a status: it is written once its digest has not changed for `quietMs`, and after `maxMs` at the latest. */
  readonly first?: FirstStatus<Status>;
}

export interface FirstStatus<Status> {
  readonly quietMs: number;
  readonly maxMs: number;
  digest(status: Status): string;
}

/** What is remembered of one object between its status writes. Times are milliseconds since the epoch. */
export interface DebounceState {
  readonly windowStart?: number | undefined;
  readonly first?: { readonly since: number; readonly changedAt: number; readonly digest: string } | undefined;
}

export const NO_DEBOUNCE: DebounceState = {};

/** How long a change may wait from now on; 0 means: write it. Times that a clock set back has put into the future do not count. */
export function debounceMs<Object extends { readonly status?: Status | undefined }, Status>(
  policy: StatusDebounce<Object, Status>,
  state: DebounceState,
  change: { readonly object: Object; readonly after: Status; readonly outcome: PlanOutcome },
  now: number,
): { readonly waitMs: number; readonly state: DebounceState } {
  const { object, after, outcome } = change;
  const windowStart = notAfter(state.windowStart, now) ?? now;
  if (policy.isUrgent(object, after, outcome)) return { waitMs: 0, state: { ...state, windowStart } };
  if (object.status !== undefined || policy.first === undefined)
    return { waitMs: Math.max(0, windowStart + policy.windowMs - now), state: { ...state, windowStart } };
  const first = firstSeen(state.first, policy.first.digest(after), now);
  const due = Math.min(first.since + policy.first.maxMs, first.changedAt + policy.first.quietMs);
  return { waitMs: Math.max(0, due - now), state: { windowStart, first } };
}

/** The state after a write, or when there is nothing left to write. */
export function afterWrite(
  { windowStart }: Pick<StatusDebounce<never, never>, 'windowStart'>,
  now: number,
): DebounceState {
  return windowStart === 'last-write' ? { windowStart: now } : NO_DEBOUNCE;
}

/** The state when the status is as it should be: a change that waited was undone. */
export function withoutChange(
  { windowStart }: Pick<StatusDebounce<never, never>, 'windowStart'>,
  state: DebounceState,
): DebounceState {
  return windowStart === 'last-write' ? state : NO_DEBOUNCE;
}

function firstSeen(
  known: DebounceState['first'],
  digest: string,
  now: number,
): { readonly since: number; readonly changedAt: number; readonly digest: string } {
  if (known === undefined || known.changedAt > now) return { since: now, changedAt: now, digest };
  return known.digest === digest ? known : { ...known, changedAt: now, digest };
}

function notAfter(time: number | undefined, now: number): number | undefined {
  return time === undefined || time > now ? undefined : time;
}
