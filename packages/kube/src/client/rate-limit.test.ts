import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBucket } from './rate-limit.ts';
import { ManualClock } from '../testing/manual-clock.ts';

test('a burst passes at once, what follows is spaced by the rate', () => {
  const bucket = new TokenBucket(new ManualClock(), { qps: 10, burst: 3 });
  expect(Array.from({ length: 6 }, () => bucket.reserve())).toEqual([0, 0, 0, 100, 200, 300]);
});

test('idle time fills the bucket up to the burst and no further', () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket(clock, { qps: 10, burst: 2 });
  bucket.reserve();
  bucket.reserve();
  clock.advance(60_000);
  expect([bucket.reserve(), bucket.reserve(), bucket.reserve()]).toEqual([0, 0, 100]);
});

test('a token that was given back serves the next one', () => {
  const bucket = new TokenBucket(new ManualClock(), { qps: 1, burst: 1 });
  bucket.reserve();
  expect(bucket.reserve()).toBe(1000);
  bucket.cancel();
  expect(bucket.reserve()).toBe(1000);
});

test('over any stretch of time no more pass than the burst plus the rate allows', () => {
  const pauses = fc.array(fc.nat(300), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(pauses, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), (waits, qps, burst) => {
      const clock = new ManualClock();
      const bucket = new TokenBucket(clock, { qps, burst });
      const passedAt = waits.map((wait) => {
        clock.advance(wait);
        return clock.now() + bucket.reserve();
      });
      for (let i = 0; i < passedAt.length; i += 7) {
        for (let j = i; j < passedAt.length; j += 5) {
          const seconds = ((passedAt[j] ?? 0) - (passedAt[i] ?? 0)) / 1000;
          expect(j - i + 1).toBeLessThanOrEqual(burst + seconds * qps + 1 + 1e-6);
        }
      }
    }),
  );
});
