import { describe, expect, it } from 'vitest';
import { StatusHold } from './status-hold.ts';

const later = { status: {}, isFirst: false, isUrgent: false };
const first = { ...later, isFirst: true };
const ready = (count: number) => ({ ...first, status: { readyWorkerReplicas: count } });

it('lets counters wait for a second after the cluster was first seen, and after each write', () => {
  const hold = new StatusHold();
  expect(hold.waitMs('a', later, 5_000)).toBe(1_000);
  expect(hold.waitMs('a', later, 5_400)).toBe(600);
  expect(hold.waitMs('a', later, 6_000)).toBe(0);
  hold.wrote('a', 6_000);
  expect(hold.waitMs('a', later, 6_100)).toBe(900);
  expect(hold.waitMs('a', later, 60_000)).toBe(0);
});

describe('the first status', () => {
  it('is written when the cluster has come to a standstill', () => {
    const hold = new StatusHold();
    expect(hold.waitMs('a', first, 0)).toBe(800);
    expect(hold.waitMs('a', first, 500)).toBe(300);
    expect(hold.waitMs('a', first, 800)).toBe(0);
  });

  it('waits on while pods come up, for three seconds at most', () => {
    const hold = new StatusHold();
    expect(hold.waitMs('a', ready(0), 0)).toBe(800);
    expect(hold.waitMs('a', ready(1), 700)).toBe(800);
    expect(hold.waitMs('a', ready(2), 1_400)).toBe(800);
    expect(hold.waitMs('a', ready(3), 2_100)).toBe(800);
    expect(hold.waitMs('a', ready(4), 2_800)).toBe(200);
    expect(hold.waitMs('a', ready(5), 3_000)).toBe(0);
  });

  it('of another cluster under the same name waits as long', () => {
    const hold = new StatusHold();
    hold.waitMs('a', first, 0);
    hold.wrote('a', 800);
    expect(hold.waitMs('a', first, 9_000)).toBe(800);
  });
});

it('holds nothing any longer for a clock that is put back', () => {
  const hold = new StatusHold();
  hold.wrote('a', 3_600_000);
  expect(hold.waitMs('a', later, 5_000)).toBe(1_000);
  expect(hold.waitMs('a', later, 6_000)).toBe(0);
  expect(hold.waitMs('b', first, 3_600_000)).toBe(800);
  expect(hold.waitMs('b', first, 5_000)).toBe(800);
  expect(hold.waitMs('b', first, 5_800)).toBe(0);
});

it('never holds what is urgent', () => {
  const hold = new StatusHold();
  for (const change of [first, later]) expect(hold.waitMs('a', { ...change, isUrgent: true }, 1)).toBe(0);
  hold.wrote('a', 1);
  expect(hold.waitMs('a', { ...later, isUrgent: true }, 2)).toBe(0);
});

it('forgets a cluster that is gone', () => {
  const hold = new StatusHold();
  hold.wrote('a', 1);
  hold.waitMs('a', first, 1);
  hold.forget('a');
  expect([hold.waitMs('a', later, 2), hold.waitMs('a', first, 2)]).toEqual([1_000, 800]);
});
