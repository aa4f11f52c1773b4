import { FakeClock } from '@manta/runtime/testing';
import { describe, expect, it } from 'vitest';
import { pause } from './pause.ts';

const DAY = 24 * 60 * 60 * 1000;

describe('a pause', () => {
  it('may be longer than any timer', async () => {
    const clock = new FakeClock(0);
    const asked: number[] = [];
    const watched = {
      now: () => clock.now(),
      setTimer: (ms: number, run: () => void) => {
        asked.push(ms);
        return clock.setTimer(ms, run);
      },
    };
    let isOver = false;
    const over = pause(watched, 60 * DAY).finally(() => {
      isOver = true;
    });
    await clock.advance(60 * DAY - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await over;
    expect(Math.max(...asked)).toBeLessThan(2 ** 31);
  });

  it('ends when it is told to, and leaves no timer', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const over = pause(clock, DAY, stop.signal);
    expect(clock.pending).toBe(1);
    stop.abort();
    await over;
    expect(clock.pending).toBe(0);
    await pause(clock, DAY, stop.signal);
  });
});
