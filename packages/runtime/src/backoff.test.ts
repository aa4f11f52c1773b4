import { describe, expect, it } from 'vitest';
import { backoffDelay, withJitter } from './backoff.ts';

describe('backoffDelay', () => {
  it('doubles up to its maximum and stays finite for ever', () => {
    const backoff = { initialMs: 5, factor: 2, maxMs: 1_000_000 };
    expect([0, 1, 2, 10, 18, 5000].map((n) => backoffDelay(backoff, n))).toEqual([
      5, 10, 20, 5120, 1_000_000, 1_000_000,
    ]);
  });

  it('is stretched by jitter to at most twice its length', () => {
    expect(withJitter(800, () => 0)).toBe(800);
    expect(withJitter(800, () => 0.999)).toBeLessThan(1600);
  });
});
