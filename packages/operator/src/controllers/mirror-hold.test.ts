import { expect, it } from 'vitest';
import { MirrorHold } from './mirror-hold.ts';

it('debounces a copy by one second from its first change, however often it changes meanwhile', () => {
  const hold = new MirrorHold();
  expect(hold.waitMs('a/b', false, 10_000)).toBe(1000);
  expect(hold.waitMs('a/b', false, 10_700)).toBe(300);
  expect(hold.waitMs('a/b', false, 11_000)).toBe(0);
  hold.release('a/b');
  expect(hold.waitMs('a/b', false, 11_001)).toBe(1000);
});

it('never holds what somebody waits for', () => {
  const hold = new MirrorHold();
  expect(hold.waitMs('a/b', false, 10_000)).toBe(1000);
  expect(hold.waitMs('a/b', true, 10_001)).toBe(0);
});

it('holds nothing longer because the clock was set back', () => {
  const hold = new MirrorHold();
  hold.waitMs('a/b', false, 10_000);
  expect(hold.waitMs('a/b', false, 1_000)).toBe(0);
});
