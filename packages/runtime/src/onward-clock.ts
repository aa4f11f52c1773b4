import type { Clock } from '@manta/kube';

/**
 * A clock that never moves back: when the underlying clock is set back, it continues from its last value, so that timers are not delayed. Use
 * the underlying clock for times that others see.
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
