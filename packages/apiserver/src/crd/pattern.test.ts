import { expect, it } from 'vitest';
import { compilePattern, testPattern } from './pattern.ts';

it.each([
  ['many counts', 'a{1000}'.repeat(300)],
  ['nested counts', `(${'a|b'.repeat(500)}){1000}`],
  ['a long text', 'a'.repeat(1_000_000)],
])('a pattern that compiles to too many instructions is refused before it is compiled: %s', (_why, source) => {
  const before = performance.now();
  expect(compilePattern(source)).toBeUndefined();
  expect(() => testPattern(source, 'a')).toThrow('Invalid regular expression');
  expect(performance.now() - before).toBeLessThan(200);
});

it.each([
  '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$',
  '^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$',
  '^.{0,1000}$',
])('an ordinary pattern is compiled: %s', (source) => {
  expect(compilePattern(source)).toBeDefined();
});
