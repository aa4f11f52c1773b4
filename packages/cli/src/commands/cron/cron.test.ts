import type { RayCronJobSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { nextRun } from './cron.ts';

const NOW = Date.parse('2026-11-18T06:30:00Z');
const run = (spec: Partial<RayCronJobSpec>) =>
  nextRun({ spec: { jobTemplate: {}, schedule: '0 * * * *', ...spec } }, NOW);

describe('nextRun()', () => {
  it.each<[Partial<RayCronJobSpec>, string]>([
    [{}, '2026-11-18 07:00Z'],
    [{ schedule: '0 12 * * *', timeZone: 'Europe/Berlin' }, '2026-11-18 11:00Z'],
    [{ suspend: true }, 'suspended'],
    [{ schedule: 'often' }, 'invalid'],
    [{ timeZone: 'Nowhere/City' }, 'invalid'],
    [{ schedule: '0 0 31 2 *' }, 'never'],
  ])('shows the next time of %j', (spec, expected) => {
    expect(run(spec)).toBe(expected);
  });
});
