import { loadTimeZone, parseCron } from '@manta/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTicks, MAX_MISSED, type Timetable } from './ticks.ts';

function timetable(schedule: string, zone = 'UTC'): Timetable {
  const read = parseCron(schedule);
  const found = loadTimeZone(zone);
  if (!read.ok || !found.ok) throw new Error(`${schedule} ${zone}`);
  return { schedule: read.value, zone: found.value };
}

const at = (text: string) => Date.parse(text);
const text = (ms: number | undefined) => (ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16));
const MINUTE = 60_000;

describe('findTicks()', () => {
  it('gives what has come since, oldest first, and what comes next', () => {
    const { due, hasMore, next } = findTicks(
      timetable('0 */6 * * *'),
      at('2026-01-01T00:00Z'),
      at('2026-01-01T13:00Z'),
    );
    expect(due.map(text)).toEqual(['2026-01-01T06:00', '2026-01-01T12:00']);
    expect(hasMore).toBe(false);
    expect(text(next)).toBe('2026-01-01T18:00');
  });

  it('counts a time as come at its very second', () => {
    const noon = at('2026-01-01T12:00Z');
    expect(findTicks(timetable('0 12 * * *'), noon - 1, noon)).toMatchObject({
      due: [noon],
      next: noon + 24 * 60 * MINUTE,
    });
    expect(findTicks(timetable('0 12 * * *'), noon - 1, noon - 1)).toMatchObject({ due: [], next: noon });
    expect(findTicks(timetable('0 12 * * *'), noon, noon)).toMatchObject({ due: [] });
  });

  it('finds nothing where the clock stands before what was served', () => {
    const served = at('2026-01-02T12:00Z');
    const { due, next } = findTicks(timetable('0 12 * * *'), served, served - 48 * 60 * MINUTE);
    expect(due).toEqual([]);
    expect(text(next)).toBe('2026-01-03T12:00');
  });

  it('knows that an impossible day never comes', () => {
    expect(findTicks(timetable('0 0 31 2 *'), 0, at('2026-01-01T00:00Z'))).toEqual({
      due: [],
      hasMore: false,
      next: undefined,
    });
  });

  it.each([
    ['a year of minutes', '* * * * *', 365 * 24 * 60],
    ['minutes of a month that is over', '* * * 1 *', 300 * 24 * 60],
    ['a delay', '@every 1m', 365 * 24 * 60],
  ])('gives the newest of %s and says that there were more', (_, schedule, minutes) => {
    const served = at('2026-01-01T00:00:00Z');
    const { due, hasMore } = findTicks(timetable(schedule), served, served + minutes * MINUTE);
    expect(due).toHaveLength(MAX_MISSED);
    expect(hasMore).toBe(true);
    const last = schedule === '* * * 1 *' ? at('2026-01-31T23:59Z') : served + minutes * MINUTE;
    expect(text(due.at(-1))).toBe(text(last));
    expect(text(due[0])).toBe(text(last - (MAX_MISSED - 1) * MINUTE));
  });

  it('keeps the beat of a delay, however late it is looked at', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7200 }), fc.integer({ min: 0, max: 10_000_000 }), (delay, lateSeconds) => {
        const served = at('2026-01-01T00:00:07Z');
        const { due, next } = findTicks(timetable(`@every ${delay}s`), served, served + lateSeconds * 1000);
        for (const tick of [...due, next ?? Number.NaN]) expect((tick - served) % (delay * 1000)).toBe(0);
        expect(due.length).toBe(Math.min(Math.floor(lateSeconds / delay), MAX_MISSED));
      }),
    );
  });

  it('serves the same times in one look as in many', () => {
    const schedules = ['*/5 * * * *', '30 2 * * *', '0 0 * * 1', '@every 47s', '15 1-3 * * *'];
    fc.assert(
      fc.property(
        fc.constantFrom(...schedules),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
        fc.integer({ min: at('2026-03-01T00:00Z') / 1000, max: at('2026-11-30T00:00Z') / 1000 }),
        fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 8 }),
        (schedule, zone, startSeconds, steps) => {
          const start = startSeconds * 1000;
          const table = timetable(schedule, zone);
          const many: number[] = [];
          let now = start;
          let served = start;
          for (const step of steps) {
            now += step * 1000;
            const { due } = findTicks(table, served, now);
            many.push(...due);
            served = due.at(-1) ?? served;
          }
          const { due, hasMore } = findTicks(table, start, now);
          fc.pre(!hasMore);
          expect(many).toEqual(due);
          expect(new Set(many).size).toBe(many.length);
        },
      ),
    );
  });
});
