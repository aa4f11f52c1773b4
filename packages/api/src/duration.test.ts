import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationFromMs, durationToMs, formatDuration, parseDuration } from './duration.ts';

const SECOND = 1_000_000_000n;

describe('durations', () => {
  it.each([
    ['0', 0n, '0s'],
    ['+0', 0n, '0s'],
    ['5m', 300n * SECOND, '5m0s'],
    ['1h', 3600n * SECOND, '1h0m0s'],
    ['1h15m30.918s', 4530_918_000_000n, '1h15m30.918s'],
    ['1.5h', 5400n * SECOND, '1h30m0s'],
    ['-1.5s', -1_500_000_000n, '-1.5s'],
    ['.5s', 500_000_000n, '500ms'],
    ['1.s', SECOND, '1s'],
    ['100us', 100_000n, '100µs'],
    ['1.1µs', 1_100n, '1.1µs'],
    ['1μs', 1_000n, '1µs'],
    ['7ns', 7n, '7ns'],
    ['0.3333333333333333333h', 1_200n * SECOND, '20m0s'],
    ['9223372036854775807ns', 2n ** 63n - 1n, '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', -(2n ** 63n), '-2562047h47m16.854775808s'],
    ['3m3s3m', 363n * SECOND, '6m3s'],
  ])('%s is read exactly and written as Go writes it', (text, nanoseconds, canonical) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: nanoseconds });
    expect(formatDuration(nanoseconds)).toBe(canonical);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['invalid', 'time: invalid duration "invalid"'],
    ['.s', 'time: invalid duration ".s"'],
    ['3', 'time: missing unit in duration "3"'],
    ['5m3', 'time: missing unit in duration "5m3"'],
    ['5d', 'time: unknown unit "d" in duration "5d"'],
    ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
    ['1日', String.raw`time: unknown unit "\xe6\x97\xa5" in duration "1\xe6\x97\xa5"`],
    ['1"', String.raw`time: unknown unit "\"" in duration "1\""`],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['9223372036854775809x', 'time: invalid duration "9223372036854775809x"'],
    ['3000000h', 'time: invalid duration "3000000h"'],
  ])('%j is refused as Go refuses it', (text, error) => {
    expect(parseDuration(text)).toEqual({ ok: false, error });
  });

  it('are the same again when written and read', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (duration) => {
        expect(parseDuration(formatDuration(duration))).toEqual({ ok: true, value: duration });
      }),
    );
  });

  it('add up over their parts', () => {
    const part = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(part, part, part, part, (h, m, s, ms) => {
        const expected =
          BigInt(h) * 3600n * SECOND + BigInt(m) * 60n * SECOND + BigInt(s) * SECOND + BigInt(ms) * 10n ** 6n;
        expect(parseDuration(`${h}h${m}m${s}s${ms}ms`)).toEqual({ ok: true, value: expected });
      }),
    );
  });

  it('turn into milliseconds and back', () => {
    expect(durationToMs(1_500_000n)).toBe(1.5);
    expect(durationFromMs(-1.5)).toBe(-1_500_000n);
    fc.assert(
      fc.property(fc.integer(), (ms) => {
        expect(durationToMs(durationFromMs(ms))).toBe(ms);
      }),
    );
  });

  it('never throw, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseDuration(text)).toHaveProperty('ok');
      }),
    );
  });
});
