import { describe, expect, it } from 'vitest';
import { Silences } from './silences.ts';

const T0 = Date.UTC(2026, 0, 1);
const NOTED = '2026-01-01T00:00:00Z';

describe('Silences', () => {
  it('count from the note, also for a process that started later', () => {
    expect(new Silences().since('ml/a', NOTED, { now: T0 + 200_000, steady: 5 })).toBe(T0);
  });

  it('do not grow when the clock is set forward', () => {
    const silences = new Silences();
    silences.since('ml/a', NOTED, { now: T0, steady: 0 });
    const now = T0 + 610_000;
    expect(silences.since('ml/a', NOTED, { now, steady: 10_000 })).toBe(now - 10_000);
  });

  it('go on when the clock is set back', () => {
    const silences = new Silences();
    silences.since('ml/a', NOTED, { now: T0, steady: 0 });
    const now = T0 - 600_000;
    expect(silences.since('ml/a', NOTED, { now, steady: 10_000 })).toBe(now - 10_000);
  });

  it('start again with another note, or after none', () => {
    const silences = new Silences();
    silences.since('ml/a', NOTED, { now: T0, steady: 0 });
    const later = '2026-01-01T00:05:00Z';
    expect(silences.since('ml/a', later, { now: T0 + 300_000, steady: 300_000 })).toBe(T0 + 300_000);
    expect(silences.since('ml/a', undefined, { now: T0, steady: 0 })).toBeUndefined();
  });
});
