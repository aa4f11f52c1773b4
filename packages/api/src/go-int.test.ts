import { describe, expect, it } from 'vitest';
import { parseGoInt } from './go-int.ts';
import { goQuote } from './go-quote.ts';
import { formatIntOrString, intValue, isIntOrString, parseIntOrString } from './int-or-string.ts';

describe('whole numbers', () => {
  it.each([
    ['12', 12],
    ['+12', 12],
    ['-012', -12],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s is read', (text, value) => {
    expect(parseGoInt(text)).toEqual({ ok: true, value });
  });

  it.each([
    ['', 'strconv.Atoi: parsing "": invalid syntax'],
    ['1.5', 'strconv.Atoi: parsing "1.5": invalid syntax'],
    [' 1', 'strconv.Atoi: parsing " 1": invalid syntax'],
    ['1_000', 'strconv.Atoi: parsing "1_000": invalid syntax'],
    ['9223372036854775808', 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
  ])('%j is refused', (text, error) => {
    expect(parseGoInt(text)).toEqual({ ok: false, error });
  });
});

describe('quoting as Go does', () => {
  it.each([
    ['plain', '"plain"'],
    ['say "hi" \\', String.raw`"say \"hi\" \\"`],
    ['a\tb\n\u0007\u0001\u007f', String.raw`"a\tb\n\a\x01\x7f"`],
    ['né 日本', '"né 日本"'],
    ['\u200b\u00a0\u{e0001}', String.raw`"\u200b\u00a0\U000e0001"`],
  ])('%j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('numbers that may be text', () => {
  it('are told from other values', () => {
    expect([8000, '25%', -1].every(isIntOrString)).toBe(true);
    expect([1.5, 2 ** 31, null, {}, Number.NaN].some(isIntOrString)).toBe(false);
  });

  it('are read from a command line', () => {
    expect(['8000', 'serve', '25%', '99999999999'].map(parseIntOrString)).toEqual([
      8000,
      'serve',
      '25%',
      '99999999999',
    ]);
  });

  it('have a number and a text', () => {
    expect([8000, '8000', 'serve'].map(intValue)).toEqual([8000, 8000, 0]);
    expect([8000, 'serve'].map(formatIntOrString)).toEqual(['8000', 'serve']);
  });
});
