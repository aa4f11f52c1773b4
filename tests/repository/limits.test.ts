import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { groupNames, limitsPage } from '../../tools/generate/limits/limits-table.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(root, 'docs/limits.md'), 'utf8');
const source = readFileSync(resolve(root, 'packages/base/src/limits.ts'), 'utf8');

describe('docs/limits.md', () => {
  it('has the numbers and reasons of packages/base/src/limits.ts: run `npm run limits`', () => {
    expect(page).toBe(limitsPage(source));
  });

  it('has every group of limits', () => {
    for (const name of groupNames()) expect(page).toContain(`\n## ${name}\n`);
  });

  it('gives a reason for every limit', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([]);
  });
});
