import { AsyncLocalStorage } from 'node:async_hooks';
import { recordFailure } from './failures.ts';

/** A connection, request, response or stream that can be ended without harm to any other. */
export interface Destroyable {
  destroy(): unknown;
}

/** What a failure ends: one thing, whatever a function ends when it is given the error (`reject`), or nothing (a timer that runs again). */
export type Subject = Destroyable | ((error: unknown) => unknown) | undefined;

/** What belongs together in asynchronous code: timers and promises that a guarded callback starts inherit its subject. */
const scope = new AsyncLocalStorage<{ readonly place: string; readonly subject: Subject }>();

/**
 * Wraps a callback that Node calls: of a socket, stream, watch, process or timer. If it throws, or the promise that it returns rejects, the
 * failure is counted and reported under `place`, and `subject` is ended; the process goes on.
 */
export function guard<Args extends unknown[]>(
  place: string,
  subject: Subject,
  callback: (...args: Args) => unknown,
): (...args: Args) => void {
  return (...args) => attempt(place, subject, () => callback(...args));
}

/**
 * Wraps a callback of a server, whose connection is among its arguments: `request`, `upgrade`, `connect`, `connection`, `stream`, `session`.
 * A failure ends every argument that can be destroyed. What the callback starts (timers, promises, connections to elsewhere) belongs to
 * the same connection: if it fails outside of any guard, `guardProcess` ends that connection.
 */
export function guardConnection<Args extends unknown[]>(
  place: string,
  callback: (...args: Args) => unknown,
): (...args: Args) => void {
  return (...args) => {
    // Weak: what outlives the connection, such as a pooled connection that it opened, must not keep it in memory.
    const ends = args.filter(isDestroyable).map((each) => new WeakRef(each));
    const subject = () => {
      for (const each of ends) end(each.deref(), undefined);
    };
    scope.run({ place, subject }, () => attempt(place, subject, () => callback(...args)));
  };
}

/** Runs `work` at once under the rules of `guard`. */
export function attempt(place: string, subject: Subject, work: () => unknown): void {
  try {
    const result = work();
    if (isThenable(result)) result.then(undefined, (error: unknown) => fail(place, subject, error));
  } catch (error) {
    fail(place, subject, error);
  }
}

/** Counts and reports a failure of the connection that the running code belongs to, and ends it; false if the code belongs to none. */
export function failCurrent(error: unknown): boolean {
  const current = scope.getStore();
  if (current === undefined) return false;
  fail(current.place, current.subject, error);
  return true;
}

function fail(place: string, subject: Subject, error: unknown): void {
  recordFailure(place, error);
  end(subject, error);
}

function end(subject: Subject, error: unknown): void {
  try {
    if (typeof subject === 'function') subject(error);
    else subject?.destroy();
  } catch {
    // It cannot be ended any further.
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function isDestroyable(value: unknown): value is Destroyable {
  return typeof value === 'object' && value !== null && 'destroy' in value && typeof value.destroy === 'function';
}
