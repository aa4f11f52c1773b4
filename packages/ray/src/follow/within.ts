import type { RayClock } from '../clock.ts';

/** The promise's value, or undefined after `delayMs`. */
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
