import type { RayCronJobSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { dayOf, hourOf, upcoming } from './calendar.ts';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const DAY_MS = 86_400_000;
const of = (spec: Partial<RayCronJobSpec>) =>
  upcoming({ spec: { jobTemplate: {}, schedule: '30 3 * * *', ...spec } }, NOW, NOW + 2 * DAY_MS);

describe('upcoming()', () => {
  it('lists the times in the time zone of the schedule', () => {
    const found = of({ timeZone: 'Europe/Berlin' });
    const shown =
      found.kind === 'times' ? found.times.map((ms) => `${dayOf(found.zone, ms)} ${hourOf(found.zone, ms)}`) : [];
    expect(shown).toEqual(['2026-11-19 03:30', '2026-11-20 03:30']);
  });

  it.each<[Partial<RayCronJobSpec>, RegExp]>([
    [{ suspend: true }, /paused/],
    [{ schedule: 'often' }, /not valid/],
    [{ timeZone: 'Nowhere/City' }, /no time zone/],
  ])('says why %j has no times', (spec, why) => {
    const found = of(spec);
    expect(found.kind === 'none' ? found.why : '').toMatch(why);
  });
});
