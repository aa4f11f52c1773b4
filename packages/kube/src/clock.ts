import { guard } from '@manta/base';

/** Time as something that is passed in: production uses {@link systemClock}, tests and the simulation bring their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that pass evenly, from any beginning, however the machine's clock is set; absent: `now` does. */
  steady?(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. A pending timer never keeps the process alive by itself. */
  setTimer(delayMs: number, run: () => void): () => void;
  /** Resolves when answers that have come in meanwhile have been heard; a clock of a simulation has nothing outside to listen to. */
  readonly turn?: () => Promise<void>;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(guard('timer', undefined, run), delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  turn: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),
};

/** Resolves after `delayMs`, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
