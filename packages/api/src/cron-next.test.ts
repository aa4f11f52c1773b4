import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CronSchedule, type FieldSchedule, parseCron } from './cron.ts';
import { nextActivation } from './cron-next.ts';
import { loadTimeZone, type TimeZone, toLocalTime } from './time-zone.ts';

function read(text: string): CronSchedule {
  const schedule = parseCron(text);
  if (!schedule.ok) throw new Error(`${text}: ${schedule.error}`);
  return schedule.value;
}

function zone(name: string): TimeZone {
  const found = loadTimeZone(name);
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

/** The next times as ISO text without milliseconds. */
function next(text: string, after: string, name = 'UTC', count = 1): readonly string[] {
  const times: string[] = [];
  let time: number | undefined = Date.parse(after);
  while (times.length < count) {
    time = nextActivation(read(text), time, zone(name));
    if (time === undefined) return [...times, 'never'];
    times.push(new Date(time).toISOString().replace('.000Z', 'Z'));
  }
  return times;
}

describe('the next time of a schedule', () => {
  it.each([
    ['is strictly later', '0 * * * *', '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'],
    ['may be a second later', '0 * * * *', '2026-03-01T09:59:59Z', '2026-03-01T10:00:00Z'],
    ['ignores fractions of a second', '0 * * * *', '2026-03-01T09:59:59.999Z', '2026-03-01T10:00:00Z'],
    ['wraps over the hour', '20-35/15 * * * *', '2012-07-09T15:45:00Z', '2012-07-09T16:20:00Z'],
    ['wraps over the day', '20-35/15 * * * *', '2012-07-09T23:45:00Z', '2012-07-10T00:20:00Z'],
    ['wraps over the year', '* * * * *', '2012-12-31T23:59:45Z', '2013-01-01T00:00:00Z'],
    ['waits for a month', '0 0 9 4-10 ?', '2012-07-09T23:35:00Z', '2012-08-09T00:00:00Z'],
    ['takes either day where both are restricted', '0 0 */5 4,8,10 1', '2012-07-09T23:35:00Z', '2012-08-01T00:00:00Z'],
    ['takes both days where one is a star', '0 0 * 2 1', '2012-07-09T23:35:00Z', '2013-02-04T00:00:00Z'],
    ['waits for a leap year', '0 0 29 2 ?', '2012-07-09T23:35:00Z', '2016-02-29T00:00:00Z'],
    ['is a delay after a whole second', '@every 90s', '2026-03-01T10:00:00.700Z', '2026-03-01T10:01:30Z'],
    ['never comes on a day that does not exist', '0 0 30 2 ?', '2012-07-09T23:35:00Z', 'never'],
    ['never comes where a field matches nothing', ', * * * *', '2012-07-09T23:35:00Z', 'never'],
    ['comes where only one of two day fields is empty', '0 0 , * 1', '2026-11-15T00:00:00Z', '2026-11-16T00:00:00Z'],
  ])('%s', (_, schedule, after, expected) => {
    expect(next(schedule, after)).toEqual([expected]);
  });

  it.each([
    ['follows the zone', '30 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', ['2026-01-01T04:00:00Z']],
    ['sees the day of the zone', '0 20 29 2 *', 'America/New_York', '2028-02-01T00:00:00Z', ['2028-03-01T01:00:00Z']],
    [
      'leaves out a time that clocks skip',
      '30 2 * * *',
      'America/New_York',
      '2012-03-10T12:00:00Z',
      ['2012-03-12T06:30:00Z', '2012-03-13T06:30:00Z'],
    ],
    [
      'comes every hour while clocks go forward',
      '0 * * * *',
      'America/New_York',
      '2012-03-11T05:30:00Z',
      ['2012-03-11T06:00:00Z', '2012-03-11T07:00:00Z', '2012-03-11T08:00:00Z'],
    ],
    [
      'comes twice where clocks repeat an hour',
      '0 1 * * *',
      'America/New_York',
      '2012-11-04T04:00:00Z',
      ['2012-11-04T05:00:00Z', '2012-11-04T06:00:00Z', '2012-11-05T06:00:00Z'],
    ],
    [
      'survives a midnight that does not exist',
      '0 9 10 * ?',
      'America/Sao_Paulo',
      '2018-10-17T09:00:00Z',
      ['2018-11-10T11:00:00Z'],
    ],
    [
      'survives a midnight that comes twice',
      '0 9 22 * ?',
      'America/Sao_Paulo',
      '2018-02-14T10:00:00Z',
      ['2018-02-22T12:00:00Z'],
    ],
    [
      'knows clocks that change by half an hour',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-02T15:00:00Z',
      ['2026-10-02T15:45:00Z', '2026-10-04T15:15:00Z'],
    ],
    [
      'survives a day that a country skipped',
      '0 10 20 * ?',
      'Pacific/Apia',
      '2011-12-28T11:09:24Z',
      ['2012-01-19T20:00:00Z'],
    ],
  ])('%s', (_, schedule, name, after, expected) => {
    expect(next(schedule, after, name, expected.length)).toEqual(expected);
  });

  it('is none after a time that is no time', () => {
    for (const after of [Number.NaN, Number.POSITIVE_INFINITY, -8.64e15]) {
      expect(nextActivation(read('@hourly'), after, zone('UTC'))).toBeUndefined();
      expect(nextActivation(read('@every 1s'), after, zone('UTC'))).toBeUndefined();
    }
  });
});

const subset = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((values) => values.join(',')),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );
const schedule = fc
  .tuple(subset(0, 59), subset(0, 23), subset(1, 31), subset(1, 12), subset(0, 6))
  .map((fields) => fields.join(' '));
/** Zones whose clocks change in the night, but not at midnight, where upstream's rule skips hours. */
const zoneName = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney');
const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2035, 0) });

function matches(fields: FieldSchedule, timeMs: number, place: TimeZone): boolean {
  const { minute, hour, day, month, weekday } = toLocalTime(place, timeMs);
  const inMonth = fields.daysOfMonth.has(day);
  const inWeek = fields.daysOfWeek.has(weekday);
  const isDay = fields.eitherDayMatches ? inMonth || inWeek : inMonth && inWeek;
  return fields.minutes.has(minute) && fields.hours.has(hour) && fields.months.has(month) && isDay;
}

describe('any schedule', () => {
  it('is next due strictly later, at a time that matches all its fields', () => {
    fc.assert(
      fc.property(schedule, instant, zoneName, (text, after, name) => {
        const fields = read(text);
        const time = nextActivation(fields, after, zone(name));
        if (time === undefined || fields.kind !== 'fields') return;
        expect(time).toBeGreaterThan(after);
        expect(time % 60_000).toBe(0);
        expect(matches(fields, time, zone(name))).toBe(true);
      }),
    );
  });

  it('is next due when the first minute matches, tried one by one', () => {
    const minute = 60_000;
    const twoDays = 2 * 24 * 60;
    const nearClockChange = fc
      .tuple(fc.integer({ min: 2005, max: 2034 }), fc.constantFrom(2, 9, 10), fc.integer({ min: 0, max: 2 ** 31 }))
      .map(([year, month, offset]) => Date.UTC(year, month) + (offset % (31 * 24 * 3600 * 1000)));
    const often = fc
      .tuple(
        subset(0, 59),
        subset(0, 23),
        fc.constantFrom('*', '1-31/2'),
        fc.constant('*'),
        fc.constantFrom('*', '0-3'),
      )
      .map((fields) => fields.join(' '));
    fc.assert(
      fc.property(often, nearClockChange, zoneName, (text, after, name) => {
        const fields = read(text);
        if (fields.kind !== 'fields') return;
        let tried = Math.floor(after / minute) * minute + minute;
        const end = tried + twoDays * minute;
        while (tried < end && !matches(fields, tried, zone(name))) tried += minute;
        const time = nextActivation(fields, after, zone(name)) ?? Number.POSITIVE_INFINITY;
        expect(Math.min(time, end)).toBe(Math.min(tried, end));
      }),
      { numRuns: 60 },
    );
  });
});
