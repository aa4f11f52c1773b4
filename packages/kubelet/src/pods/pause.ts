import type { Clock } from '@manta/kube';

/** Timers that are set for longer fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after so long, however long that is, or as soon as the signal says so. */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
    if (signal?.aborted === true) return;
    await wait(clock, Math.min(left, LONGEST_TIMER_MS), signal);
  }
}

function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(ms, done);
    signal?.addEventListener('abort', done, { once: true });
    function done(): void {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
}
