import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CronSchedule, parseCron } from './cron.ts';

function read(text: string): CronSchedule {
  const schedule = parseCron(text);
  if (!schedule.ok) throw new Error(`${text}: ${schedule.error}`);
  return schedule.value;
}

function minutes(text: string): readonly number[] {
  const schedule = read(`${text} * * * *`);
  return schedule.kind === 'fields' ? [...schedule.minutes].toSorted((a, b) => a - b) : [];
}

function either(text: string): boolean {
  const schedule = read(text);
  return schedule.kind === 'fields' && schedule.eitherDayMatches;
}

describe('a schedule', () => {
  it.each([
    ['a number', '5', [5]],
    ['a number with a plus sign', '+5', [5]],
    ['a list', '5,1,5', [1, 5]],
    ['a range', '3-6', [3, 4, 5, 6]],
    ['a range in steps', '3-9/3', [3, 6, 9]],
    ['steps from a number to the end', '50/4', [50, 54, 58]],
    ['steps of everything', '*/20', [0, 20, 40]],
    ['a question mark', '?/30', [0, 30]],
    ['empty items of a list', ',5,', [5]],
    ['nothing but a comma', ',', []],
    ['a star that ignores its end', '*-5/30', [0, 30]],
  ])('may have in a field %s', (_, text, expected) => {
    expect(minutes(text)).toEqual(expected);
  });

  it('knows months and days by their English names in any case', () => {
    expect(read('0 0 1 JAN-mar Sun,WED')).toEqual(read('0 0 1 1-3 0,3'));
  });

  it('asks for both days unless both are restricted', () => {
    expect(either('0 0 1 * 1')).toBe(true);
    expect(either('0 0 */2 * 1')).toBe(true);
    expect(either('0 0 * * 1')).toBe(false);
    expect(either('0 0 1 * ?')).toBe(false);
    expect(either('0 0 */1 * 1')).toBe(false);
    expect(either('0 0 1,* * 1')).toBe(false);
  });

  it.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
  ])('%s means %s', (descriptor, fields) => {
    expect(read(descriptor)).toEqual(read(fields));
  });

  it.each([
    ['@every 1h30m', 5400],
    ['@every 1.9s', 1],
    ['@every 5ms', 1],
    ['@every -1h', 1],
  ])('%s waits %d seconds', (text, delaySeconds) => {
    expect(read(text)).toEqual({ kind: 'every', delaySeconds });
  });

  it.each([
    ['', 'empty spec string'],
    ['   ', 'expected exactly 5 fields, found 0: []'],
    ['* * *  *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['0 0 0 1 1 ?', 'expected exactly 5 fields, found 6: [0 0 0 1 1 ?]'],
    [' @daily', 'expected exactly 5 fields, found 1: [@daily]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['*/-5 * * * *', 'negative number (-5) not allowed: -5'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*//2 * * * *', 'too many slashes: *//2'],
    ['* j * * *', 'failed to parse int from j: strconv.Atoi: parsing "j": invalid syntax'],
    ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['* * * mon *', 'failed to parse int from mon: strconv.Atoi: parsing "mon": invalid syntax'],
    ['x y * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@every', 'unrecognized descriptor: @every'],
    ['@every 5', 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ])('%j is refused', (text, error) => {
    expect(parseCron(text)).toEqual({ ok: false, error });
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-*?,/0-9a-fA-F @\t]*$/), (text) => {
        expect(parseCron(text)).toHaveProperty('ok');
      }),
    );
  });
});
