import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages, ROOT, tableCells } from './pages.ts';

const LONGEST_CELL = 200;

describe('the tables of the documentation', () => {
  const withTables = pages().filter((page) => tableCells(page).length > 0 && page.path.startsWith('docs/'));

  it.each(withTables.map((page) => [page.path, page] as const))('%s: no cell is over 200 characters', (_, page) => {
    expect(tableCells(page).filter((cell) => cell.length > LONGEST_CELL)).toEqual([]);
  });
});

describe('docs/differences', () => {
  const folder = join(ROOT, 'docs/differences');

  it.each(readdirSync(folder))('%s: every row names a test that exists', (file) => {
    const missing: string[] = [];
    let base = '';
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      base = /Test files without a folder are in `([^`]+)`/.exec(line)?.[1] ?? base;
      if (!/^\| (?!Situation|---)/.test(line) || line.split('|').length !== 6) continue;
      const tests = [...(line.split('|')[4] ?? '').matchAll(/`([^`]+)`/g)].map(([, test = '']) => test);
      if (tests.length === 0) missing.push(`no test: ${line}`);
      missing.push(...tests.filter((test) => !isTest(base, test)));
    }
    expect(missing).toEqual([]);
  });
});

/** A scenario recorded from KubeRay has no dot and no slash; its file is not always in the repository. */
function isTest(base: string, test: string): boolean {
  if (!test.includes('.') && !/^(?:packages|tests)\//.test(test)) return true;
  if (test.includes('/')) return existsSync(join(ROOT, test));
  return globSync(`${base}**/${test}`, { cwd: ROOT }).length === 1;
}
