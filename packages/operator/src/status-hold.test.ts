import { expect, it } from 'vitest';
import { StatusHold } from './status-hold.ts';

it('lets counters wait for a second after the cluster was first seen, and after each write', () => {
  const hold = new StatusHold();
  expect(hold.waitMs('a', false, 5_000)).toBe(1_000);
  expect(hold.waitMs('a', false, 5_400)).toBe(600);
  expect(hold.waitMs('a', false, 6_000)).toBe(0);
  hold.wrote('a', 6_000);
  expect(hold.waitMs('a', false, 6_100)).toBe(900);
  expect(hold.waitMs('a', false, 60_000)).toBe(0);
});

it('never holds what is urgent', () => {
  const hold = new StatusHold();
  expect(hold.waitMs('a', true, 1)).toBe(0);
  hold.wrote('a', 1);
  expect(hold.waitMs('a', true, 2)).toBe(0);
});

it('forgets a cluster that is gone', () => {
  const hold = new StatusHold();
  hold.wrote('a', 1);
  hold.forget('a');
  expect(hold.waitMs('a', false, 2)).toBe(1_000);
});
