import { expect, it } from 'vitest';
import { MirrorHold } from './mirror-hold.ts';

it('lets a copy wait for three seconds from its first change, however often it changes meanwhile', () => {
  const hold = new MirrorHold();
  expect(hold.waitMs('a/b', false, 10_000)).toBe(3000);
  expect(hold.waitMs('a/b', false, 12_000)).toBe(1000);
  expect(hold.waitMs('a/b', false, 13_000)).toBe(0);
  hold.release('a/b');
  expect(hold.waitMs('a/b', false, 13_001)).toBe(3000);
});

it('never holds what somebody waits for', () => {
  const hold = new MirrorHold();
  expect(hold.waitMs('a/b', false, 10_000)).toBe(3000);
  expect(hold.waitMs('a/b', true, 10_001)).toBe(0);
});

it('holds nothing longer because the clock was set back', () => {
  const hold = new MirrorHold();
  hold.waitMs('a/b', false, 10_000);
  expect(hold.waitMs('a/b', false, 1_000)).toBe(0);
});
