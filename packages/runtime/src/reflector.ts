import { messageOf } from '@manta/base';
import type { KubeObject } from '@manta/api';
import { ApiError, isForbidden, isGone, isNotFound, TransportError, type WatchEvent } from '@manta/kube';
import { type Backoff, backoffDelay } from './backoff.ts';

/**
 * Following one kind as a state machine: a union of states, each holding only what it knows, and {@link stepReflector}, a pure
 * function from state and event to the next state and what to do. `reflector-driver.ts` runs it against a server.
 *
 *     empty ─► initial-watch ─► watching ◄─► waiting
 *         └──► listing ────────────┘            (after an error; `resume` says where to go on)
 */
export type ReflectorState =
  | { readonly phase: 'empty' }
  /** A streamed list is arriving. */
  | { readonly phase: 'listing'; readonly atLeast: string | undefined }
  /** A watch is sending what exists, object by object. */
  | { readonly phase: 'initial-watch'; readonly atLeast: string | undefined }
  /** Everything up to `resourceVersion` is known. Proven: the current stream has brought something or held for a while. */
  | { readonly phase: 'watching'; readonly resourceVersion: string; readonly isProven: boolean }
  | { readonly phase: 'waiting'; readonly resume: Resume };

/** Where to go on: from scratch, but from nothing older than `atLeast`, or with the watch where it broke. */
export type Resume =
  | { readonly from: 'scratch'; readonly atLeast: string | undefined }
  | { readonly from: 'watch'; readonly resourceVersion: string };

/** Why nothing arrives at the moment. */
export interface Trouble {
  /** `forbidden`: we may not watch this. `absent`: the server does not know the kind (yet). `failing`: anything else. */
  readonly kind: 'failing' | 'forbidden' | 'absent';
  readonly message: string;
}

/** The state, and what outlives states. */
export interface Reflection {
  readonly state: ReflectorState;
  /** Kept until something has arrived again, so that a retry does not look like a recovery. */
  readonly trouble: Trouble | undefined;
  /** False once the server has refused to send what exists through a watch. */
  readonly canWatchInitial: boolean;
  /** Failures in a row; forgotten after two quiet minutes. */
  readonly failures: number;
  readonly forgetFailuresAt: number;
}

export type ReflectorEvent<T> =
  | { readonly type: 'start' }
  | { readonly type: 'item'; readonly object: T }
  | { readonly type: 'listed'; readonly resourceVersion: string }
  | { readonly type: 'watched'; readonly event: WatchEvent<T> }
  /** The watch has held for a second. */
  | { readonly type: 'held' }
  /** The server ended the watch in good order. */
  | { readonly type: 'closed'; readonly at: number }
  | { readonly type: 'failed'; readonly error: unknown; readonly at: number }
  /** The wait is over. */
  | { readonly type: 'woken' };

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export type ReflectorEffect<T> =
  /** At most one of these three is running: the next one ends the one before. */
  | { readonly do: 'list'; readonly atLeast: string | undefined }
  | { readonly do: 'watch'; readonly resourceVersion: string | undefined; readonly isInitial: boolean }
  | { readonly do: 'wait'; readonly delayMs: number }
  /** Start collecting a new content; what was collected and not committed is void. */
  | { readonly do: 'discard' }
  | { readonly do: 'stage'; readonly change: ChangeType; readonly object: T }
  /** What was collected is the content as of `resourceVersion`. */
  | { readonly do: 'commit'; readonly resourceVersion: string }
  | { readonly do: 'apply'; readonly change: ChangeType; readonly object: T; readonly resourceVersion: string }
  /** Nothing changed up to `resourceVersion`. */
  | { readonly do: 'advance'; readonly resourceVersion: string };

export interface Step<T> {
  readonly next: Reflection;
  readonly effects: readonly ReflectorEffect<T>[];
}

/** Before anything was asked. */
export const initialReflection: Reflection = {
  state: { phase: 'empty' },
  trouble: undefined,
  canWatchInitial: true,
  failures: 0,
  forgetFailuresAt: 0,
};

const BACKOFF: Readonly<Record<Trouble['kind'], Backoff>> = {
  failing: { initialMs: 800, factor: 2, maxMs: 30_000 },
  forbidden: { initialMs: 1_000, factor: 2, maxMs: 60_000 },
  absent: { initialMs: 1_000, factor: 2, maxMs: 10_000 },
};
/** Without content controllers wait, so short disturbances are retried at once. */
const FIRST_BACKOFF: Backoff = { initialMs: 100, factor: 2, maxMs: 30_000 };
/** API servers ask for one second with every 429, also for a kind that is ready in a moment: the first retries come sooner than that. */
const QUICK_RETRIES = 3;
const QUICK_RETRY_MS = 250;
const USUAL_RETRY_AFTER_MS = 1_000;
const QUIET_MS = 120_000;
/** After this many consecutive errors the resource version is no longer trusted, and everything is listed again. */
const REFUSALS_BEFORE_RELIST = 3;

/** What follows from an event. An event that the state does not expect changes nothing. */
export function stepReflector<T extends KubeObject>(now: Reflection, event: ReflectorEvent<T>): Step<T> {
  switch (event.type) {
    case 'start':
      return now.state.phase === 'empty' ? fromScratch(now, undefined) : stay(now);
    case 'item':
      return now.state.phase === 'listing'
        ? stay(now, { do: 'stage', change: 'ADDED', object: event.object })
        : stay(now);
    case 'listed':
      return now.state.phase === 'listing' ? listed(now, event.resourceVersion) : stay(now);
    case 'watched':
      return watched(now, event.event);
    case 'held':
      return now.state.phase === 'watching' ? stay(proven(now, now.state.resourceVersion)) : stay(now);
    case 'closed':
      return closed(now, event.at);
    case 'failed':
      return failed(now, event.error, event.at);
    case 'woken':
      return now.state.phase === 'waiting' ? resume(now, now.state.resume) : stay(now);
  }
}

function stay<T>(now: Reflection, ...effects: readonly ReflectorEffect<T>[]): Step<T> {
  return { next: now, effects };
}

function fromScratch<T>(now: Reflection, atLeast: string | undefined): Step<T> {
  const open: ReflectorEffect<T> = now.canWatchInitial
    ? { do: 'watch', resourceVersion: atLeast, isInitial: true }
    : { do: 'list', atLeast };
  const phase = now.canWatchInitial ? 'initial-watch' : 'listing';
  return { next: { ...now, state: { phase, atLeast } }, effects: [{ do: 'discard' }, open] };
}

function watchFrom<T>(now: Reflection, resourceVersion: string): Step<T> {
  return {
    next: { ...now, state: { phase: 'watching', resourceVersion, isProven: false } },
    effects: [{ do: 'watch', resourceVersion, isInitial: false }],
  };
}

function resume<T>(now: Reflection, where: Resume): Step<T> {
  return where.from === 'watch' ? watchFrom(now, where.resourceVersion) : fromScratch(now, where.atLeast);
}

function listed<T>(now: Reflection, resourceVersion: string): Step<T> {
  const { next, effects } = watchFrom<T>({ ...now, trouble: undefined }, resourceVersion);
  return { next, effects: [{ do: 'commit', resourceVersion }, ...effects] };
}

function proven(now: Reflection, resourceVersion: string): Reflection {
  return { ...now, trouble: undefined, state: { phase: 'watching', resourceVersion, isProven: true } };
}

function watched<T extends KubeObject>(now: Reflection, event: WatchEvent<T>): Step<T> {
  const { state } = now;
  if (state.phase === 'initial-watch') {
    if (event.type !== 'BOOKMARK') return stay(now, { do: 'stage', change: event.type, object: event.object });
    if (!event.isInitialEventsEnd) return stay(now);
    return stay(proven(now, event.resourceVersion), { do: 'commit', resourceVersion: event.resourceVersion });
  }
  if (state.phase !== 'watching') return stay(now);
  if (event.type === 'BOOKMARK') {
    // A bookmark that says nothing new does not prove the stream: a server that sends one and hangs up must not be called in a loop.
    if (event.resourceVersion === state.resourceVersion) return stay(now);
    return stay(proven(now, event.resourceVersion), { do: 'advance', resourceVersion: event.resourceVersion });
  }
  const resourceVersion = event.object.metadata?.resourceVersion ?? state.resourceVersion;
  return stay(proven(now, resourceVersion), { do: 'apply', change: event.type, object: event.object, resourceVersion });
}

/** A watch ends every few minutes by design and is taken up at once; one that ends without ever having worked is a failure. */
function closed<T>(now: Reflection, at: number): Step<T> {
  const { state } = now;
  if (state.phase === 'watching' && state.isProven) return watchFrom(now, state.resourceVersion);
  return failed(now, new Error('the server ended the watch before it had sent anything'), at);
}

function failed<T>(now: Reflection, error: unknown, at: number): Step<T> {
  const { state } = now;
  if (state.phase === 'empty' || state.phase === 'waiting') return stay(now);
  if (state.phase === 'initial-watch' && refusesInitialEvents(error)) {
    return fromScratch({ ...now, canWatchInitial: false }, state.atLeast);
  }
  const where = resumeAfter(now, error);
  const trouble = troubleOf(error);
  if (state.phase === 'watching' && state.isProven && (isGone(error) || isBrokenConnection(error))) {
    return resume(now, where);
  }
  const isSameTrouble = now.trouble === undefined || now.trouble.kind === trouble.kind;
  const failures = at < now.forgetFailuresAt && isSameTrouble ? now.failures : 0;
  const delayMs = delayAfter(state, trouble, failures, error);
  return {
    next: {
      ...now,
      trouble,
      state: { phase: 'waiting', resume: where },
      failures: failures + 1,
      forgetFailuresAt: at + 2 * delayMs + QUIET_MS,
    },
    effects: [{ do: 'discard' }, { do: 'wait', delayMs }],
  };
}

function delayAfter(state: Reflection['state'], trouble: Trouble, failures: number, error: unknown): number {
  const isFirst = state.phase === 'initial-watch' || state.phase === 'listing';
  const backoff = isFirst && trouble.kind === 'failing' ? FIRST_BACKOFF : BACKOFF[trouble.kind];
  const askedMs = retryAfter(error);
  const isQuick = isFirst && failures < QUICK_RETRIES && askedMs <= USUAL_RETRY_AFTER_MS;
  return Math.max(backoffDelay(backoff, failures), isQuick ? Math.min(askedMs, QUICK_RETRY_MS) : askedMs);
}

function resumeAfter(now: Reflection, error: unknown): Resume {
  const { state } = now;
  if (state.phase === 'listing' || state.phase === 'initial-watch') {
    // A server restored from a backup never reaches the version we hold: take what it has.
    return { from: 'scratch', atLeast: isGone(error) || isVersionTooLarge(error) ? undefined : state.atLeast };
  }
  if (state.phase !== 'watching') return { from: 'scratch', atLeast: undefined };
  const isSuspect = error instanceof ApiError && !isForbidden(error) && now.failures + 1 >= REFUSALS_BEFORE_RELIST;
  if (isVersionTooLarge(error)) return { from: 'scratch', atLeast: undefined };
  if (isGone(error) || isNotFound(error) || isSuspect) return { from: 'scratch', atLeast: state.resourceVersion };
  return { from: 'watch', resourceVersion: state.resourceVersion };
}

function troubleOf(error: unknown): Trouble {
  const message = messageOf(error);
  if (isForbidden(error)) return { kind: 'forbidden', message };
  if (isNotFound(error)) return { kind: 'absent', message };
  return { kind: 'failing', message };
}

/** Servers before 1.32, and 1.33 by default, refuse `sendInitialEvents` as an invalid or bad request. */
function refusesInitialEvents(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 422 || error.code === 400);
}

function isVersionTooLarge(error: unknown): boolean {
  return error instanceof ApiError && error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge');
}

function isBrokenConnection(error: unknown): boolean {
  return error instanceof TransportError && !error.wasNeverSent;
}

function retryAfter(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
}
