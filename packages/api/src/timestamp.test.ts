import { expect, it } from 'vitest';
import { millis, timestamp } from './timestamp.ts';

it('timestamp() writes whole seconds in UTC and cuts fractions off, also before 1970', () => {
  expect(timestamp(Date.UTC(2026, 10, 18, 6, 0, 59, 999))).toBe('2026-11-18T06:00:59Z');
  expect(timestamp(-1)).toBe('1969-12-31T23:59:59Z');
});

it('millis() reads what timestamp() wrote, and nothing from an absent or invalid time', () => {
  expect(millis(timestamp(1_700_000_000_000))).toBe(1_700_000_000_000);
  expect(millis(undefined)).toBeUndefined();
  expect(millis('yesterday')).toBeUndefined();
});
