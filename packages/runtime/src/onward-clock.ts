import type { Clock } from '@manta/kube';

/**
 * A clock that goes on where it was when the one below is set back, so that what waits for a moment does not wait for that moment to come
 * again. Whoever tells others the time needs the clock itself.
 */
export function onwardClock(clock: Clock): Clock {
  let behindMs = 0;
  const { turn } = clock;
  let last = Number.NEGATIVE_INFINITY;
  return {
    now: () => {
      const now = clock.now() + behindMs;
      if (now < last) behindMs += last - now;
      last = Math.max(last, now);
      return last;
    },
    setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
    ...(turn === undefined ? {} : { turn }),
  };
}
