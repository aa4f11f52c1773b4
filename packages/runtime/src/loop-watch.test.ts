import { describe, expect, it } from 'vitest';
import { watchLoop } from './loop-watch.ts';

/** A loop whose timer the test fires, as late as it likes. */
function setUp() {
  let now = 0;
  let due: (() => void) | undefined;
  const clock = {
    setTimer: (_: number, run: () => void) => {
      due = run;
      return () => (due = undefined);
    },
  };
  const watch = watchLoop({ clock, monotonic: () => now, limitMs: 12_000, reportMs: 60_000 });
  const pass = (ms: number) => {
    now += ms;
    due?.();
  };
  return { watch, pass, isWatching: () => due !== undefined };
}

describe('the check of the event loop', () => {
  it('passes while timers are less late than the limit', () => {
    const { watch, pass } = setUp();
    for (const ms of [1_000, 1_005, 12_999]) pass(ms);
    expect(watch.check()).toEqual({ isOk: true });
  });

  it('fails after a block as long as the limit, names it, and passes a minute later', () => {
    const { watch, pass } = setUp();
    pass(1_000);
    pass(14_000);
    pass(1_000);
    const reason = 'the event loop was blocked for 13 s, 1 s ago; the lease allows 12 s';
    expect(watch.check()).toEqual({ isOk: false, reason });
    for (let second = 0; second < 59; second += 1) pass(1_000);
    expect(watch.check()).toEqual({ isOk: true });
  });

  it('ends when it is stopped', () => {
    const { watch, isWatching } = setUp();
    watch.stop();
    expect(isWatching()).toBe(false);
  });
});
