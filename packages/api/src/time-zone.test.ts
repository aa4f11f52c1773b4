import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromLocalTime, loadTimeZone, type TimeZone, toLocalTime } from './time-zone.ts';

function zone(name: string): TimeZone {
  const found = loadTimeZone(name);
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

describe('time zones', () => {
  it.each([
    'UTC',
    '',
    'Europe/Berlin',
    'US/Eastern',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'EST',
    'GMT',
    'Etc/GMT+5',
    'Local',
  ])('%j is known', (name) => {
    expect(loadTimeZone(name).ok).toBe(true);
  });

  it.each(['Invalid/Zone', 'europe/berlin', 'us/eastern', 'utc', 'PST', '+05:30', 'GMT+5', 'SystemV/EST5', 'a b', 'Z'])(
    '%s is unknown',
    (name) => {
      expect(loadTimeZone(name)).toEqual({ ok: false, error: `unknown time zone ${name}` });
    },
  );

  it.each(['/etc/localtime', String.raw`\x`, 'Europe/../Berlin'])('%s is no name of a zone', (name) => {
    expect(loadTimeZone(name)).toEqual({ ok: false, error: 'time: invalid location name' });
  });

  it('never throw for a name', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(loadTimeZone(name)).toHaveProperty('ok');
      }),
    );
  });

  it('show what a clock on the wall shows', () => {
    expect(toLocalTime(zone('Asia/Kathmandu'), Date.parse('2026-02-28T18:20:05Z'))).toEqual({
      year: 2026,
      month: 3,
      day: 1,
      hour: 0,
      minute: 5,
      second: 5,
      weekday: 0,
    });
  });

  it.each([
    ['carries days beyond the month over', 'UTC', [2026, 2, 30, 0, 0], '2026-03-02T00:00:00Z'],
    ['carries months beyond the year over', 'UTC', [2026, 13, 1, 0, 0], '2027-01-01T00:00:00Z'],
    ['takes the time before a change that skips it', 'America/New_York', [2012, 3, 11, 2, 30], '2012-03-11T06:30:00Z'],
    ['takes the first of two', 'America/New_York', [2012, 11, 4, 1, 30], '2012-11-04T05:30:00Z'],
    ['takes the later of two east of Greenwich', 'Europe/Berlin', [2012, 10, 28, 2, 30], '2012-10-28T01:30:00Z'],
  ] as const)('the instant of a local time %s', (_, name, [year, month, day, hour, minute], expected) => {
    expect(fromLocalTime(zone(name), year, month, day, hour, minute)).toBe(Date.parse(expected));
  });

  it('lead from an instant to local time and back, away from changes of the clock', () => {
    const names = fc.constantFrom('UTC', 'Asia/Kolkata', 'Asia/Tokyo', 'America/Phoenix', 'Africa/Nairobi');
    const minutes = fc.integer({ min: Date.UTC(1990, 0) / 60_000, max: Date.UTC(2040, 0) / 60_000 });
    fc.assert(
      fc.property(names, minutes, (name, minute) => {
        const local = toLocalTime(zone(name), minute * 60_000);
        expect(fromLocalTime(zone(name), local.year, local.month, local.day, local.hour, local.minute)).toBe(
          minute * 60_000,
        );
      }),
    );
  });
});
