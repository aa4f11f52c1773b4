import { guard } from '@manta/base';

/** Time is passed in: production uses {@link systemClock}, tests and the simulation bring their own clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A monotonic clock in milliseconds, which setting the machine's clock does not change; absent: `now` is monotonic. */
  steady?(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. A pending timer never keeps the process alive. */
  setTimer(delayMs: number, run: () => void): () => void;
  /** Resolves when pending I/O has been handled; absent on the clock of a simulation, which has no I/O. */
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

export { sleep } from '@manta/base';
