import { PATTERN_LIMITS } from '@manta/base';
import { describe, expect, it } from 'vitest';
import { literalPrefix } from './literal-prefix.ts';
import { compilePattern, patternBudget } from './pattern.ts';

function fits(pattern: string, value: string): boolean {
  const compiled = compilePattern(pattern);
  if (typeof compiled === 'string') throw new Error(compiled);
  return compiled.test(value, patternBudget());
}

describe('a pattern', () => {
  it.each([
    ['/v[0-9]+', '/v12', true],
    ['/v[0-9]+', '/v12/x', false],
    ['/a|/b', '/b', true],
    ['/a|/b', '/a/b', false],
    ['(?i)/abc', '/ABC', true],
    ['/abc', '/abc', true],
    ['/a.c', '/abc', true],
    ['/a\\.c', '/abc', false],
    ['/a\\.c', '/a.c', true],
    ['^/abc$', '/abc', true],
    ['^/abc.*$', '/abcdef', true],
    ['/abc.*', '/abc', true],
    ['/abc.*', '/ab', false],
    ['a.*', 'a\nb', false],
    ['/colou?r', '/color', true],
    ['/(a|ab)(c|bcd)', '/abcd', true],
    ['/[|]', '/|', true],
    ['(?P<n>x+)', 'xx', true],
    ['', '', true],
  ])('%s and %s: %s', (pattern, value, expected) => {
    expect(fits(pattern, value)).toBe(expected);
  });

  it('is compiled once for all tables', () => {
    expect(compilePattern('/once/[a-z]+')).toBe(compilePattern('/once/[a-z]+'));
  });

  it('spends nothing on a value that begins differently', () => {
    const pattern = compilePattern('/models/[a-z]+/infer');
    const budget = patternBudget();
    expect(typeof pattern === 'string' || pattern.test('/other/x', budget)).toBe(false);
    expect(budget.left).toBe(PATTERN_LIMITS.steps);
  });
});

it.each([
  ['/a/b', '/a/b', ''],
  ['/a/b.*', '/a/b', '.*'],
  ['/ab*', '/a', 'b*'],
  ['/a\\.b(c|d)', '/a.b', '(c|d)'],
  ['/a|/b', '', '/a|/b'],
  ['/a\\d', '/a', '\\d'],
  ['^/a$', '/a', '$'],
])('the literal prefix of %s is %s', (pattern, prefix, rest) => {
  expect(literalPrefix(pattern)).toEqual({ prefix, rest });
});
