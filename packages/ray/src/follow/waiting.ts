import type { RayClock } from '../clock.ts';

/** Resolves after a while. */
export function wait(clock: RayClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(delayMs, resolve));
}

/** What the promise comes to, or nothing when it takes longer than this. */
export async function within<T>(clock: RayClock, delayMs: number, promise: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const timeout = new Promise<undefined>((resolve) => {
    cancel = clock.setTimer(delayMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    cancel();
  }
}
