import { expect, it } from 'vitest';
import { onwardClock } from './onward-clock.ts';

it('onwardClock() goes on where it was when the clock is set back, and follows when it is set forward', () => {
  let wall = 1000;
  const clock = onwardClock({ now: () => wall, setTimer: () => () => undefined });
  const at = (time: number) => {
    wall = time;
    return clock.now();
  };
  expect([at(1000), at(1500), at(100), at(300), at(5000), at(4000)]).toEqual([1000, 1500, 1500, 1700, 6400, 6400]);
});
