/**
 * What several packages need and none of them should own: limits for input from outside, error boundaries for callbacks, and small
 * functions that would be written again otherwise.
 * Imports nothing; every other package may import it, except `api` and `plan`, which run in browsers.
 */
export { closeWhenIdle } from './close-when-idle.ts';
export { type Failure, failureCounts, type FailureListener, onFailure, recordFailure } from './failures.ts';
export { attempt, type Destroyable, guard, guardConnection, type Subject } from './guard.ts';
export { guardProcess, UNKNOWN_PLACE } from './guard-process.ts';
export * from './limits.ts';
export { type ListenerTimeouts, timeoutOptions } from './listener-timeouts.ts';
export { makeFolder } from './make-folder.ts';
export { messageOf } from './message-of.ts';
export { ownValue } from './own-value.ts';
export { sleep } from './sleep.ts';
