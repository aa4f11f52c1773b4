import { describe, expect, it } from 'vitest';
import { afterWrite, debounceMs, NO_DEBOUNCE, type StatusDebounce, withoutChange } from './status-debounce.ts';

interface Status {
  readonly ready?: number;
  readonly isUrgent?: boolean;
}
interface Item {
  readonly status?: Status | undefined;
}

const SINCE_WRITE: StatusDebounce<Item, Status> = {
  isUrgent: (_, { isUrgent }) => isUrgent === true,
  windowMs: 1_000,
  windowStart: 'last-write',
  first: { quietMs: 800, maxMs: 3_000, digest: ({ ready }) => String(ready) },
};
const SINCE_CHANGE: StatusDebounce<Item, Status> = {
  isUrgent: (_, { isUrgent }) => isUrgent === true,
  windowMs: 1_000,
  windowStart: 'first-change',
};

/** One object under one policy; each call is a reconcile that wants this status. */
function debouncer(policy: StatusDebounce<Item, Status>, object: Item) {
  let state = NO_DEBOUNCE;
  return {
    waitMs: (now: number, after: Status = {}): number => {
      const debounced = debounceMs(policy, state, { object, after, outcome: { kind: 'done' } }, now);
      state = debounced.state;
      return debounced.waitMs;
    },
    wrote: (now: number) => void (state = afterWrite(policy, now)),
    unchanged: () => void (state = withoutChange(policy, state)),
  };
}

const EXISTING: Item = { status: {} };
const NEW: Item = {};

describe('a window since the last write', () => {
  it('lasts one second after the object was first seen and after each write', () => {
    const { waitMs, wrote } = debouncer(SINCE_WRITE, EXISTING);
    expect([waitMs(5_000), waitMs(5_400), waitMs(6_000)]).toEqual([1_000, 600, 0]);
    wrote(6_000);
    expect([waitMs(6_100), waitMs(60_000)]).toEqual([900, 0]);
  });

  it('stays when a change was undone', () => {
    const { waitMs, wrote, unchanged } = debouncer(SINCE_WRITE, EXISTING);
    wrote(6_000);
    unchanged();
    expect(waitMs(6_100)).toBe(900);
  });

  it('starts again when the clock was set back', () => {
    const { waitMs, wrote } = debouncer(SINCE_WRITE, EXISTING);
    wrote(3_600_000);
    expect([waitMs(5_000), waitMs(6_000)]).toEqual([1_000, 0]);
  });
});

describe('a window since the first change', () => {
  it('lasts one second however often the status changes meanwhile', () => {
    const { waitMs, wrote } = debouncer(SINCE_CHANGE, EXISTING);
    expect([waitMs(10_000), waitMs(10_700), waitMs(11_000)]).toEqual([1_000, 300, 0]);
    wrote(11_000);
    expect(waitMs(11_001)).toBe(1_000);
  });

  it('ends when a change was undone', () => {
    const { waitMs, unchanged } = debouncer(SINCE_CHANGE, EXISTING);
    waitMs(10_000);
    unchanged();
    expect(waitMs(10_900)).toBe(1_000);
  });

  it('applies to the first status too', () => {
    expect(debouncer(SINCE_CHANGE, NEW).waitMs(10_000)).toBe(1_000);
  });

  it('starts again when the clock was set back', () => {
    const { waitMs } = debouncer(SINCE_CHANGE, EXISTING);
    waitMs(10_000);
    expect([waitMs(1_000), waitMs(2_000)]).toEqual([1_000, 0]);
  });
});

describe('the first status', () => {
  it('is written when its digest has not changed for the quiet time', () => {
    const { waitMs } = debouncer(SINCE_WRITE, NEW);
    expect([waitMs(0), waitMs(500), waitMs(800)]).toEqual([800, 300, 0]);
  });

  it('waits while its digest changes, up to the maximum', () => {
    const { waitMs } = debouncer(SINCE_WRITE, NEW);
    const waits = [0, 700, 1_400, 2_100, 2_800, 3_000].map((now, ready) => waitMs(now, { ready }));
    expect(waits).toEqual([800, 800, 800, 800, 200, 0]);
  });

  it('of another object under the same name waits as long', () => {
    const { waitMs, wrote } = debouncer(SINCE_WRITE, NEW);
    waitMs(0);
    wrote(800);
    expect(waitMs(9_000)).toBe(800);
  });

  it('starts waiting again when the clock was set back', () => {
    const { waitMs } = debouncer(SINCE_WRITE, NEW);
    expect([waitMs(3_600_000), waitMs(5_000), waitMs(5_800)]).toEqual([800, 800, 0]);
  });
});

describe('an urgent change', () => {
  it.each([
    ['an existing status', EXISTING],
    ['the first status', NEW],
  ])('of %s is never debounced', (_, object) => {
    for (const policy of [SINCE_WRITE, SINCE_CHANGE]) {
      const { waitMs, wrote } = debouncer(policy, object);
      expect(waitMs(1, { isUrgent: true })).toBe(0);
      wrote(1);
      expect(waitMs(2, { isUrgent: true })).toBe(0);
    }
  });
});
