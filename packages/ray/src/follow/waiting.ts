import type { RayClock } from '../clock.ts';

/** Resolves after a while; rejects with the signal's reason as soon as it is aborted. */
export function wait(clock: RayClock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
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
