import { recordFailure } from './failures.ts';
import { failCurrent } from './guard.ts';

/** The place under which failures are counted that belong to no known connection. */
export const UNKNOWN_PLACE = 'process';

/**
 * The last resort for exceptions and rejections that passed every guard. Each is counted and reported. If it belongs to a known connection,
 * that connection is ended and the process goes on. Otherwise `onUnknown` decides; without it the process goes on: a server that holds
 * the state of many clients does more harm by ending than by going on. Returns a function that removes the handlers again.
 */
export function guardProcess(onUnknown?: (error: unknown) => void): () => void {
  const handle = (error: unknown) => {
    if (failCurrent(error)) return;
    recordFailure(UNKNOWN_PLACE, error);
    onUnknown?.(error);
  };
  process.on('uncaughtException', handle);
  process.on('unhandledRejection', handle);
  return () => {
    process.off('uncaughtException', handle);
    process.off('unhandledRejection', handle);
  };
}
