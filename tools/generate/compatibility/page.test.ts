import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { FEATURES } from './features.ts';
import { compatibilityPage, differenceRows, isSwitchedOff, promisesIn } from './page.ts';

const root = resolve(import.meta.dirname, '../../..');

it('docs/compatibility.md is up to date; "npm run compatibility" makes it so', () => {
  expect(readFileSync(join(root, 'docs/compatibility.md'), 'utf8')).toBe(compatibilityPage(root));
});

it('a feature without tests is promised to nobody', () => {
  const page = compatibilityPage(root);
  const without = Object.values(FEATURES).flatMap((features) => features.filter(({ tests }) => tests.length === 0));
  for (const { name } of without) expect(page).toContain(`| ${name} | not yet |`);
  expect(without.length).toBeGreaterThan(0);
});

it('tests that do not exist are an error, not a promise', () => {
  expect(() => promisesIn(root, 'packages/nowhere.test.ts')).toThrow('does not exist');
  expect(() => promisesIn(root, 'LICENSE')).toThrow('has no tests');
});

it.each([
  ["it.skip('a', () => {})", true],
  ["  it.concurrent.todo('a')", true],
  ["describe.skip('a', () => {})", true],
  ["it.fails('a', () => {})", true],
  ["it.each([1])('a', () => {})", false],
  ["describe.runIf(isHere)('a', () => {})", false],
  ["it('may skip.todo', () => {})", false],
])('tests that are switched off are no promise: %s', (text, isOff) => {
  expect(isSwitchedOff(text)).toBe(isOff);
});

it('every row of the differences counts, and no head of a table', () => {
  const text = '| Situation | KubeRay |\n| --- | --- |\n| a | b |\nwords\n| Situation | x |\n| c | d |';
  expect(differenceRows(text)).toEqual(['| a | b |', '| c | d |']);
});
